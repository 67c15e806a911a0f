import { type AccountRef, createAccountCache } from "../../core/db/driver/account-cache.ts";
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

/** Reads verified numbers for the sending path: whether an account has verified a phone. */
export function createIsVerified(
  db: Database,
  clock: Clock,
  notifications: Notifications,
): (account: AccountRef, phone: string) => Promise<boolean> {
  const verified = createAccountCache<ReadonlySet<string>>({
    clock,
    notifications,
    entriesMax: CACHED_ACCOUNTS_MAX,
    read: async (account) => {
      const values = [account.shard, account.id];
      const rows = await db.query<{ phone_number: string }>(readVerifiedNumbers, values);
      return new Set(rows.map((row) => row.phone_number));
    },
  });
  return async (account, phone) =>
    (await verified.find(account, EVERY_NUMBER))?.has(phone) ?? false;
}
