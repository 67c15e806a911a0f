import type { LookupDeps } from "../../network/lookup/index.ts";
import type { OutboundDeps } from "../outbound/deps.ts";
import type { AccountRotation } from "./account-rotation.ts";
import type { ResultsCache } from "./results-cache.ts";

export interface BatchesDeps extends OutboundDeps, LookupDeps {
  readonly batchResults: ResultsCache;
  readonly batchRotation: AccountRotation;
}
