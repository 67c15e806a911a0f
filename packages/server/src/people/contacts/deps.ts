import type { FilterNode } from "@longwave/contract";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import type { Queryable } from "../../core/db/driver/database.ts";
import type { LookupDeps } from "../../network/lookup/index.ts";
import type { ConsentDeps } from "../consent/index.ts";

/** Dependencies of the contact routes. */
export interface ContactHandlersDeps extends ConsentDeps, LookupDeps {
  /** Filter of the segment that a query names, or 400. Injected, because segments depend on contacts. */
  readonly segmentFilter: (
    db: Queryable,
    account: AccountRef,
    apiId: string,
  ) => Promise<FilterNode>;
}
