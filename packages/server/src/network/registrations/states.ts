import type { RegistrationKind, RegistrationStatus } from "@longwave/contract";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import type { Queryable } from "../../core/db/driver/database.ts";
import { findRegistrationStates } from "./sql.ts";

interface RegistrationState {
  readonly id: string;
  readonly kind: RegistrationKind;
  readonly status: RegistrationStatus;
  readonly is_revoked: boolean;
}

/**
 * States of an account's registrations, newest first, for live numbers. Leaves out registrations
 * submitted with a test key.
 */
export function registrationStates(
  db: Queryable,
  account: AccountRef,
): Promise<RegistrationState[]> {
  return db.query(findRegistrationStates, [account.shard, account.id]);
}
