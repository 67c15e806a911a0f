import type { LookupDeps } from "../../network/lookup/index.ts";
import type { OutboundDeps } from "../outbound/index.ts";
import type { VerificationWriters } from "./writers.ts";

export interface VerifyDeps extends OutboundDeps, LookupDeps {
  /** Group writers that start and check verifications. */
  readonly verifications: VerificationWriters;
}
