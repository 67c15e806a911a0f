import type { HandoverDeps } from "../handover/index.ts";
import type { LookupDeps } from "../lookup/index.ts";
import type { VerificationWriters } from "./writers.ts";

export interface VerifyDeps extends HandoverDeps, LookupDeps {
  /** Starts and checks verifications by groups. */
  readonly verifications: VerificationWriters;
}
