import type { Base } from "../../core/base.ts";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import type { Queryable } from "../../core/db/driver/database.ts";
import type { CustomerDirectory } from "./find.ts";

export interface CustomersDeps extends Base {
  readonly customers: CustomerDirectory;
}

/** Dependencies of customers on domains above them, injected at startup. */
export interface CustomerHandlersDeps extends CustomersDeps {
  /** Numbers assigned to a customer. */
  readonly countAssigned: (
    db: Queryable,
    account: AccountRef,
    customerId: string,
  ) => Promise<number>;
}
