import type { HookPresetName } from "../../enums.ts";
import type { HookDeclaration, HookSignature } from "../../schemas/hook.ts";

/** Declaration for the calls of a known program, with the source of its facts. */
export interface HookPresetData {
  readonly name: HookPresetName;
  readonly title: string;
  readonly declaration: HookDeclaration;
  /** Its calls name no phone. */
  readonly needsRecipients?: true;
  /** The program makes the secret. */
  readonly secretFromProgram?: true;
  readonly setup: string;
  readonly source: string;
  /** A call as the program documents it, with a phone of the sandbox. */
  readonly sample: object;
}

/** The secret as a Bearer token. */
export const BEARER: HookSignature = { type: "token", header: "authorization", prefix: "Bearer " };

/** Alerts are cut to three segments. */
export const ALERT_CHARS_MAX = 459;
