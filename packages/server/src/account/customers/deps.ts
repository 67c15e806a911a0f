import type { Base } from "../base.ts";
import type { AccountRef } from "../db/account-cache.ts";
import type { Queryable } from "../db/database.ts";
import type { CustomerDirectory } from "./find.ts";

export interface CustomersDeps extends Base {
  readonly customers: CustomerDirectory;
}

/** What customers ask of the domains above them, which are handed in where all is assembled. */
export interface CustomerHandlersDeps extends CustomersDeps {
  /** How many numbers are assigned to a customer. */
  readonly countAssigned: (
    db: Queryable,
    account: AccountRef,
    customerId: string,
  ) => Promise<number>;
}
