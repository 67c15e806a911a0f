import type { RegistrationStatus } from "@longwave/contract";
import type { AccountRef } from "../db/account-cache.ts";
import type { Queryable } from "../db/database.ts";
import { findStandings } from "./sql.ts";

/** How the registrations of an account stand, newest first: all that numbers need to know of them. */
export function registrationStandings(
  db: Queryable,
  account: AccountRef,
): Promise<{ readonly id: string; readonly status: RegistrationStatus }[]> {
  return db.query(findStandings, [account.shard, account.id]);
}
