import type { Deps } from "../deps.ts";
import { type CheckWriter, createCheckWriter } from "./check-writer.ts";
import { createStartWriter, type StartWriter } from "./start-writer.ts";

/** The two writers of verifications. */
export interface VerificationWriters {
  readonly starts: StartWriter;
  readonly checks: CheckWriter;
}

export function createVerificationWriters(depsOf: () => Deps): VerificationWriters {
  return { starts: createStartWriter(depsOf), checks: createCheckWriter(depsOf) };
}
