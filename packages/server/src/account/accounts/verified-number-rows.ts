import {
  formatTimestamp,
  OWN_PHONE_CODE_SECONDS,
  OWN_PHONE_TRIES_MAX,
  OWN_PHONES_MAX,
  Problem,
  type VerifiedNumber,
} from "@longwave/contract";
import type { Base } from "../base.ts";
import type { AccountRef } from "../db/account-cache.ts";
import type { Queryable, Tx } from "../db/database.ts";
import { notify } from "../db/notifications.ts";
import { composed, sql } from "../db/sql-builder.ts";
import { statement } from "../db/statement.ts";
import { expect } from "../platform/assert.ts";

/** A phone of the account's own people as its table keeps it. */
export interface OwnPhoneRow {
  readonly phone_number: string;
  readonly id: string;
  readonly created_at: number;
  /** Null while its code has not come back. */
  readonly verified_at: number | null;
  readonly code_id: string | null;
  readonly code_expires_at: number | null;
  readonly sends: number;
  readonly tries: number;
}

const COLUMNS = "phone_number, id, created_at, verified_at, code_id, code_expires_at, sends, tries";

/** Every writer of an account's phones holds its lock, so their number is what it was counted to be. */
const lockOwner = statement(
  "lock_own_phones",
  "select account_id from account_counters where shard = $1 and account_id = $2 for update",
);

const findPhone = statement(
  "find_own_phone",
  `select ${COLUMNS} from verified_numbers where shard = $1 and account_id = $2 and phone_number = $3`,
);

/** Those that are verified, or may still become so at $4, apart from $3. */
const countPhones = statement(
  "count_own_phones",
  `select count(*)::int as count from verified_numbers
    where shard = $1 and account_id = $2 and phone_number <> $3
      and (verified_at is not null or code_expires_at > $4)`,
);

const writePhone = statement(
  "write_own_phone",
  `insert into verified_numbers as v
     (shard, account_id, phone_number, id, created_at, verified_at, code_id, code_expires_at, sends, tries)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0)
   on conflict (shard, account_id, phone_number) do update
     set verified_at = excluded.verified_at, code_id = excluded.code_id,
         code_expires_at = excluded.code_expires_at, sends = excluded.sends,
         tries = case when v.code_id = excluded.code_id then v.tries else 0 end
   returning ${COLUMNS}`,
);

/** Counts a try of the code; answers nothing when there is no more to try. */
const countTry = statement(
  "count_own_phone_try",
  `update verified_numbers set tries = tries + 1
    where shard = $1 and account_id = $2 and phone_number = $3 and verified_at is null
      and code_expires_at > $4 and tries < ${OWN_PHONE_TRIES_MAX}
   returning ${COLUMNS}`,
);

const verifyPhone = statement(
  "verify_own_phone",
  `update verified_numbers set verified_at = $5, code_id = null, code_expires_at = null
    where shard = $1 and account_id = $2 and phone_number = $3 and code_id = $4 and verified_at is null
   returning ${COLUMNS}`,
);

const deletePhone = statement(
  "delete_own_phone",
  `delete from verified_numbers where shard = $1 and account_id = $2 and phone_number = $3
   returning ${COLUMNS}`,
);

const findCodes = statement(
  "find_own_phone_codes",
  `select code_id from verified_numbers
    where shard = $1 and code_id = any($2::uuid[]) and code_expires_at > $3`,
);

/** Which of these codes somebody still waits for. */
export async function codesOfUse(
  tx: Tx,
  shard: number,
  ids: readonly string[],
  nowMs: number,
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await tx.query<{ code_id: string }>(findCodes, [shard, ids, new Date(nowMs)]);
  return new Set(rows.map((row) => row.code_id));
}

export async function findOwnPhone(
  db: Queryable,
  account: AccountRef,
  phone: string,
): Promise<OwnPhoneRow | null> {
  const [row] = await db.query<OwnPhoneRow>(findPhone, [account.shard, account.id, phone]);
  return row ?? null;
}

/** Locks the account's phones and answers this one; refuses one more than there may be. */
export async function lockOwnPhone(
  tx: Tx,
  account: AccountRef,
  phone: string,
  nowMs: number,
): Promise<OwnPhoneRow | null> {
  const owner = [account.shard, account.id];
  await tx.query(lockOwner, owner);
  const values = [...owner, phone, new Date(nowMs)];
  const [others] = await tx.query<{ count: number }>(countPhones, values);
  if ((others?.count ?? 0) >= OWN_PHONES_MAX) {
    throw new Problem(
      "limit_reached",
      `An account has at most ${OWN_PHONES_MAX} phones of its own. Take one out first.`,
      { param: "phone_number" },
    );
  }
  return findOwnPhone(tx, account, phone);
}

/** Enters a phone, with its code or as verified already. */
export async function writeOwnPhone(
  deps: Pick<Base, "ids" | "clock">,
  tx: Tx,
  account: AccountRef,
  phone: string,
  state:
    | { readonly codeId: string; readonly sends: number; readonly expiresAtMs: number }
    | "verified",
): Promise<OwnPhoneRow> {
  const now = deps.clock.now();
  const isVerified = state === "verified";
  const [row] = await tx.query<OwnPhoneRow>(writePhone, [
    account.shard,
    account.id,
    phone,
    deps.ids.makeAt(now),
    new Date(now),
    isVerified ? new Date(now) : null,
    isVerified ? null : state.codeId,
    isVerified ? null : new Date(state.expiresAtMs),
    isVerified ? 0 : state.sends,
  ]);
  if (isVerified) await notify(tx, "longwave_cache", account.id);
  return expect(row, "a phone was not written");
}

/** A try is counted before it is judged, and stays counted whatever becomes of the call. */
export async function tryOwnPhone(
  deps: Pick<Base, "db" | "clock">,
  account: AccountRef,
  phone: string,
): Promise<OwnPhoneRow | null> {
  const values = [account.shard, account.id, phone, new Date(deps.clock.now())];
  const [row] = await deps.db.query<OwnPhoneRow>(countTry, values);
  return row ?? null;
}

/** Null when the code was replaced or confirmed meanwhile. */
export async function verifyOwnPhone(
  deps: Pick<Base, "clock">,
  tx: Tx,
  account: AccountRef,
  tried: OwnPhoneRow,
): Promise<OwnPhoneRow | null> {
  const { phone_number, code_id } = tried;
  const now = new Date(deps.clock.now());
  const values = [account.shard, account.id, phone_number, code_id, now];
  const [row] = await tx.query<OwnPhoneRow>(verifyPhone, values);
  if (row) await notify(tx, "longwave_cache", account.id);
  return row ?? null;
}

export async function deleteOwnPhone(
  tx: Tx,
  account: AccountRef,
  phone: string,
): Promise<OwnPhoneRow | null> {
  const [row] = await tx.query<OwnPhoneRow>(deletePhone, [account.shard, account.id, phone]);
  if (row) await notify(tx, "longwave_cache", account.id);
  return row ?? null;
}

/** Newest first, below an id. */
export function listOwnPhones(
  db: Queryable,
  account: AccountRef,
  belowId: string | null,
  limit: number,
): Promise<OwnPhoneRow[]> {
  const after = belowId === null ? sql`` : sql`and id < ${belowId}::uuid`;
  return db.query<OwnPhoneRow>(
    composed(
      "list_verified_numbers",
      sql`select phone_number, id, created_at, verified_at, code_id, code_expires_at, sends, tries
            from verified_numbers
           where shard = ${account.shard} and account_id = ${account.id} ${after}
           order by id desc limit ${limit}`,
    ),
  );
}

export function presentOwnPhone(row: OwnPhoneRow): VerifiedNumber {
  return {
    object: "verified_number",
    phone_number: row.phone_number,
    status: row.verified_at === null ? "pending" : "verified",
    created_at: formatTimestamp(row.created_at),
    verified_at: row.verified_at === null ? null : formatTimestamp(row.verified_at),
  };
}

/** The code that a phone may still be sent, or a new one. */
export function codeToSend(
  deps: Pick<Base, "ids" | "clock">,
  row: OwnPhoneRow | null,
): { codeId: string; sends: number; expiresAtMs: number } {
  const now = deps.clock.now();
  if (row?.code_id && row.code_expires_at !== null && row.code_expires_at > now) {
    return { codeId: row.code_id, sends: row.sends + 1, expiresAtMs: row.code_expires_at };
  }
  const expiresAtMs = now + OWN_PHONE_CODE_SECONDS * 1_000;
  return { codeId: deps.ids.makeAt(now), sends: 1, expiresAtMs };
}
