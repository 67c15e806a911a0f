import type { Longwave } from "@longwave/sdk";
import type { Kit } from "./kit.ts";

/** Account of one example, so that examples do not affect each other. */
export interface Stage {
  readonly kit: Kit;
  readonly accountId: string;
  readonly testKey: string;
  readonly liveKey: string;
  /** The SDK with the account's test key. */
  readonly api: Longwave;
}

export interface Overrides {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly key?: string;
}
