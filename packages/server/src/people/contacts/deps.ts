import type { FilterNode } from "@longwave/contract";
import type { ConsentDeps } from "../consent/index.ts";
import type { AccountRef } from "../db/account-cache.ts";
import type { Queryable } from "../db/database.ts";
import type { LookupDeps } from "../lookup/index.ts";

/** What contacts ask of segments, which lie above them: handed in where all is assembled. */
export interface ContactHandlersDeps extends ConsentDeps, LookupDeps {
  /** The filter of the segment that a query names, or 400. */
  readonly segmentFilter: (
    db: Queryable,
    account: AccountRef,
    apiId: string,
  ) => Promise<FilterNode>;
}
