import type { OutboundDeps } from "../outbound/index.ts";
import { type CheckWriter, createCheckWriter } from "./check/decide-checks.ts";
import { createStartWriter, type StartWriter } from "./start/writer.ts";

/** Group writers of verifications. */
export interface VerificationWriters {
  readonly starts: StartWriter;
  readonly checks: CheckWriter;
}

export function createVerificationWriters(deps: OutboundDeps): VerificationWriters {
  return { starts: createStartWriter(deps), checks: createCheckWriter(deps) };
}
