import type { HandoverDeps } from "../handover/index.ts";
import type { VerificationWriters } from "./writers.ts";

export interface VerifyDeps extends HandoverDeps {
  /** Starts and checks verifications by groups. */
  readonly verifications: VerificationWriters;
}
