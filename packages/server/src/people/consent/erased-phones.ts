import { type AccountRef, createAccountCache } from "../../core/db/driver/account-cache.ts";
import type { Database } from "../../core/db/driver/database.ts";
import type { Notifications } from "../../core/db/driver/notifications.ts";
import { statement } from "../../core/db/driver/statement.ts";
import type { Clock } from "../../core/platform/clock.ts";
import type { Secrets } from "../../core/platform/secrets.ts";

const ACCOUNTS_MAX = 5_000;

const readErasedHashes = statement(
  "read_erased_hashes",
  `select distinct encode(phone_hash, 'hex') as hash from erasures where shard = $1 and account_id = $2`,
);

/** Keyed hash under which an erased number is remembered, per account: no two accounts can compare theirs. */
export function erasedPhoneHash(secrets: Secrets, accountId: string, phone: string): Buffer {
  return secrets.hmac("erased-phone", `${accountId} ${phone}`);
}

/** Numbers that accounts have erased: they stay opted out until they opt in again. */
export interface ErasedPhones {
  among(account: AccountRef, phones: readonly string[]): Promise<ReadonlySet<string>>;
}

/** Few accounts erase anything, so the hashes of an account are read once a second at most and cached whole. */
export function createErasedPhones(options: {
  readonly db: Database;
  readonly clock: Clock;
  readonly notifications: Notifications;
  readonly secrets: Secrets;
}): ErasedPhones {
  const { db, clock, notifications, secrets } = options;
  const cache = createAccountCache<ReadonlySet<string>>({
    clock,
    notifications,
    entriesMax: ACCOUNTS_MAX,
    read: async ({ shard, id }) => {
      const rows = await db.query<{ hash: string }>(readErasedHashes, [shard, id]);
      return new Set(rows.map((row) => row.hash));
    },
  });
  return {
    async among(account, phones) {
      const hashes = await cache.find(account, "");
      if (hashes === null || hashes.size === 0) return NOBODY;
      return new Set(
        phones.filter((phone) =>
          hashes.has(erasedPhoneHash(secrets, account.id, phone).toString("hex")),
        ),
      );
    },
  };
}

const NOBODY: ReadonlySet<string> = new Set();
