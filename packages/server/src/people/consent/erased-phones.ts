import { type AccountRef, createAccountCache } from "../../core/db/driver/account-cache.ts";
import type { Database, Queryable } from "../../core/db/driver/database.ts";
import type { Notifications } from "../../core/db/driver/notifications.ts";
import { statement } from "../../core/db/driver/statement.ts";
import type { Clock } from "../../core/platform/clock.ts";
import type { Secrets } from "../../core/platform/secrets.ts";

const ACCOUNTS_MAX = 5_000;

const readErasedHashes = statement(
  "read_erased_hashes",
  `select distinct encode(phone_hash, 'hex') as hash from erasures where shard = $1 and account_id = $2`,
);

const findOwners = statement(
  "find_owners_of_named_numbers",
  "select distinct account_id, phone_number from numbers where phone_number = any($1::text[])",
);

/** Accounts that erased anything. */
const findErasers = statement("find_erasers", "select distinct account_id from erasures", {
  acrossShards: "a callback names numbers, not an account",
});

const findHashes = statement(
  "find_erased_hashes",
  "select distinct encode(phone_hash, 'hex') as hash from erasures where phone_hash = any($1::bytea[])",
  { acrossShards: "a callback names numbers, not an account" },
);

/** Keyed hash under which an erased number is remembered, per account: no two accounts can compare theirs. */
export function erasedPhoneHash(secrets: Secrets, accountId: string, phone: string): Buffer {
  return secrets.hmac("erased-phone", `${accountId} ${phone}`);
}

/** Numbers that accounts have erased: they stay opted out until they opt in again. */
export interface ErasedPhones {
  among(account: AccountRef, phones: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Positions of the carriers' texts that name a number that one of their accounts erased. A text belongs to the accounts
   * whose numbers it names; without any, to all.
   */
  namedIn(db: Queryable, texts: readonly string[]): Promise<ReadonlySet<number>>;
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
    async namedIn(queryable, texts) {
      const named = texts.map(phonesIn);
      const phones = [...new Set(named.flat())];
      if (phones.length === 0) return NOWHERE;
      const erasers = await queryable.query<{ account_id: string }>(findErasers, []);
      if (erasers.length === 0) return NOWHERE;
      const owned = await queryable.query<OwnedNumber>(findOwners, [phones]);
      const persons = named.map((those) => personsIn(those, owned, erasers));
      // Rather too careful than to hash for seconds: many accounts erase, and many texts name no number of any.
      if (persons.flat().length > HASHES_MAX) return new Set(texts.keys());
      const hashes = persons.map((those) =>
        those.map(({ accountId, phone }) => erasedPhoneHash(secrets, accountId, phone)),
      );
      const rows = await queryable.query<{ hash: string }>(findHashes, [hashes.flat()]);
      const erased = new Set(rows.map(({ hash }) => hash));
      const isErased = (hash: Buffer) => erased.has(hash.toString("hex"));
      return new Set(hashes.flatMap((those, position) => (those.some(isErased) ? position : [])));
    },
  };
}

interface OwnedNumber {
  readonly account_id: string;
  readonly phone_number: string;
}

/** Accounts that may have erased a phone of one text: those with another number in it, or without any, all. */
function personsIn(
  phones: readonly string[],
  owned: readonly OwnedNumber[],
  erasers: readonly { readonly account_id: string }[],
): { readonly accountId: string; readonly phone: string }[] {
  return phones.flatMap((phone) => {
    const others = owned.filter(
      ({ phone_number }) => phone_number !== phone && phones.includes(phone_number),
    );
    const owners = new Set(others.map(({ account_id }) => account_id));
    return erasers.flatMap(({ account_id: accountId }) =>
      owners.size === 0 || owners.has(accountId) ? { accountId, phone } : [],
    );
  });
}

/** Hashes of one call: some 50 milliseconds. */
const HASHES_MAX = 20_000;
const NOWHERE: ReadonlySet<number> = new Set();
const PHONES_PER_TEXT_MAX = 50;
/** Digits of one number: plain, or in groups as in `(415) 555-2671`. */
const PHONES = /(?<!\d)(?:\d{10,15}|(?:1[ .-]?)?\(?\d{3}\)?[ .-]?\d{3}[ .-]?\d{4})(?!\d)/g;
const ESCAPED_BYTE = /%([0-9a-f]{2})/gi;

/** Phone numbers in a text, as E.164. Ten digits are a North American number. */
function phonesIn(text: string): string[] {
  const found = text
    .replaceAll(ESCAPED_BYTE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .matchAll(PHONES);
  const phones = new Set<string>();
  for (const [match] of found) {
    const digits = match.replaceAll(/\D/g, "").replace(/^0+/, "");
    phones.add(digits.length === 10 ? `+1${digits}` : `+${digits}`);
    if (phones.size === PHONES_PER_TEXT_MAX) break;
  }
  return [...phones];
}

const NOBODY: ReadonlySet<string> = new Set();
