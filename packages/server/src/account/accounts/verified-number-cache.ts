import {
  type AccountCache,
  type AccountRef,
  createAccountCache,
} from "../../core/db/driver/account-cache.ts";
import type { Database } from "../../core/db/driver/database.ts";
import type { Notifications } from "../../core/db/driver/notifications.ts";
import { statement } from "../../core/db/driver/statement.ts";
import type { Clock } from "../../core/platform/clock.ts";

const CACHED_ACCOUNTS_MAX = 10_000;
const VERIFIED_NUMBERS_MAX = 1_000;
const EVERY_NUMBER = "all";

const readVerifiedNumbers = statement(
  "read_verified_numbers",
  `select phone_number from verified_numbers where shard = $1 and account_id = $2 and verified_at is not null
    order by id limit ${VERIFIED_NUMBERS_MAX}`,
);

export type VerifiedNumbers = AccountCache<ReadonlySet<string>>;

/** Reads verified numbers for the sending path. */
export function createVerifiedNumbers(
  db: Database,
  clock: Clock,
  notifications: Notifications,
): VerifiedNumbers {
  return createAccountCache<ReadonlySet<string>>({
    clock,
    notifications,
    entriesMax: CACHED_ACCOUNTS_MAX,
    read: async (account) => {
      const rows = await db.query<{ phone_number: string }>(readVerifiedNumbers, [
        account.shard,
        account.id,
      ]);
      return new Set(rows.map((row) => row.phone_number));
    },
  });
}

/** Whether the account has verified this phone. */
export async function isVerified(
  deps: { readonly verifiedNumbers: VerifiedNumbers },
  account: AccountRef,
  phone: string,
): Promise<boolean> {
  const numbers = await deps.verifiedNumbers.find(account, EVERY_NUMBER);
  return numbers?.has(phone) ?? false;
}
