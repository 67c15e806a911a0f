import type { Tx } from "../db/database.ts";
import type { ServiceText } from "../inbound/deps.ts";
import type { Metrics } from "../platform/metrics.ts";
import { type CheckWriter, createCheckWriter } from "./check/writer.ts";
import type { VerifyDeps as Deps } from "./deps.ts";
import { heedServiceText } from "./heed-stop.ts";
import { createStartWriter, type StartWriter } from "./start/writer.ts";

/** The two writers of verifications. */
export interface VerificationWriters {
  readonly starts: StartWriter;
  readonly checks: CheckWriter;
  /** A text to a number that is nobody's: a STOP to one of the service's own is heeded. */
  heed(tx: Tx, text: ServiceText): Promise<void>;
}

export function createVerificationWriters(
  depsOf: () => Deps,
  metrics: Pick<Metrics, "group">,
): VerificationWriters {
  return {
    starts: createStartWriter(depsOf, metrics.group("verification_starts")),
    checks: createCheckWriter(depsOf, metrics.group("verification_checks")),
    heed: (tx, text) => heedServiceText(depsOf(), tx, text),
  };
}
