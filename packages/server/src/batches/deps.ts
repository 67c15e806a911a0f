import type { HandoverDeps } from "../handover/deps.ts";
import type { LookupDeps } from "../lookup/index.ts";
import type { ResultsCache } from "./results-cache.ts";
import type { TurnOrder } from "./turn-order.ts";

export interface BatchesDeps extends HandoverDeps, LookupDeps {
  readonly batchResults: ResultsCache;
  readonly batchTurns: TurnOrder;
}
