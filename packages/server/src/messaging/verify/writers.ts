import type { HandoverDeps } from "../handover/index.ts";
import { type CheckWriter, createCheckWriter } from "./check/writer.ts";
import { createStartWriter, type StartWriter } from "./start/writer.ts";

/** The two writers of verifications. */
export interface VerificationWriters {
  readonly starts: StartWriter;
  readonly checks: CheckWriter;
}

export function createVerificationWriters(deps: HandoverDeps): VerificationWriters {
  return { starts: createStartWriter(deps), checks: createCheckWriter(deps) };
}
