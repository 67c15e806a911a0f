import type { Tx } from "../db/database.ts";
import type { Deps } from "../deps.ts";
import { type CheckWriter, createCheckWriter } from "./check-writer.ts";
import { heedServiceText, type ServiceText } from "./heed-stop.ts";
import { createStartWriter, type StartWriter } from "./start-writer.ts";

/** The two writers of verifications. */
export interface VerificationWriters {
  readonly starts: StartWriter;
  readonly checks: CheckWriter;
  /** A text to a number that is nobody's: a STOP to one of the service's own is heeded. */
  heed(tx: Tx, text: ServiceText): Promise<void>;
}

export function createVerificationWriters(depsOf: () => Deps): VerificationWriters {
  return {
    starts: createStartWriter(depsOf),
    checks: createCheckWriter(depsOf),
    heed: (tx, text) => heedServiceText(depsOf(), tx, text),
  };
}
