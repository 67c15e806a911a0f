import {
  formatTimestamp,
  Problem,
  VERIFIED_NUMBER_CODE_SECONDS,
  VERIFIED_NUMBER_TRIES_MAX,
  VERIFIED_NUMBERS_MAX,
  type VerifiedNumber,
} from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import type { Queryable, Tx } from "../../core/db/driver/database.ts";
import { notify } from "../../core/db/driver/notifications.ts";
import { composed, sql } from "../../core/db/driver/sql-builder.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { expect } from "../../core/platform/assert.ts";

/** Row of a verified number. */
export interface VerifiedNumberRow {
  readonly phone_number: string;
  readonly id: string;
  readonly created_at: number;
  /** Null until the code is confirmed. */
  readonly verified_at: number | null;
  readonly code_id: string | null;
  readonly code_expires_at: number | null;
  readonly sends: number;
  readonly tries: number;
}

const COLUMNS = "phone_number, id, created_at, verified_at, code_id, code_expires_at, sends, tries";

/** Every writer of an account's verified numbers takes this lock, so that a count stays true until the commit. */
const lockOwner = statement(
  "lock_verified_numbers",
  "select account_id from account_counters where shard = $1 and account_id = $2 for update",
);

const findPhone = statement(
  "find_verified_number",
  `select ${COLUMNS} from verified_numbers where shard = $1 and account_id = $2 and phone_number = $3`,
);

/** Counts the numbers that are verified, or can still be verified at $4, except $3. */
const countPhones = statement(
  "count_verified_numbers",
  `select count(*)::int as count from verified_numbers
    where shard = $1 and account_id = $2 and phone_number <> $3
      and (verified_at is not null or code_expires_at > $4)`,
);

const writePhone = statement(
  "write_verified_number",
  `insert into verified_numbers as v
     (shard, account_id, phone_number, id, created_at, verified_at, code_id, code_expires_at, sends, tries)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0)
   on conflict (shard, account_id, phone_number) do update
     set verified_at = excluded.verified_at, code_id = excluded.code_id,
         code_expires_at = excluded.code_expires_at, sends = excluded.sends,
         tries = case when v.code_id = excluded.code_id then v.tries else 0 end
   returning ${COLUMNS}`,
);

/** Counts an attempt at the code; returns no row when no attempt is left. */
const countAttempt = statement(
  "count_verified_number_attempt",
  `update verified_numbers set tries = tries + 1
    where shard = $1 and account_id = $2 and phone_number = $3 and verified_at is null
      and code_expires_at > $4 and tries < ${VERIFIED_NUMBER_TRIES_MAX}
   returning ${COLUMNS}`,
);

const verifyPhone = statement(
  "confirm_verified_number",
  `update verified_numbers set verified_at = $5, code_id = null, code_expires_at = null
    where shard = $1 and account_id = $2 and phone_number = $3 and code_id = $4 and verified_at is null
   returning ${COLUMNS}`,
);

const deletePhone = statement(
  "delete_verified_number",
  `delete from verified_numbers where shard = $1 and account_id = $2 and phone_number = $3
   returning ${COLUMNS}`,
);

const findCodes = statement(
  "find_pending_verified_number_codes",
  `select code_id from verified_numbers
    where shard = $1 and code_id = any($2::uuid[]) and code_expires_at > $3`,
);

/** Codes among these that are still pending. */
export async function pendingCodes(
  tx: Tx,
  shard: number,
  ids: readonly string[],
  nowMs: number,
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await tx.query<{ code_id: string }>(findCodes, [shard, ids, new Date(nowMs)]);
  return new Set(rows.map((row) => row.code_id));
}

export async function findVerifiedNumber(
  db: Queryable,
  account: AccountRef,
  phone: string,
): Promise<VerifiedNumberRow | null> {
  const [row] = await db.query<VerifiedNumberRow>(findPhone, [account.shard, account.id, phone]);
  return row ?? null;
}

/** Locks the account's verified numbers and returns this one; refuses a number beyond the maximum. */
export async function lockVerifiedNumber(
  tx: Tx,
  account: AccountRef,
  phone: string,
  nowMs: number,
): Promise<VerifiedNumberRow | null> {
  const owner = [account.shard, account.id];
  await tx.query(lockOwner, owner);
  const values = [...owner, phone, new Date(nowMs)];
  const [others] = await tx.query<{ count: number }>(countPhones, values);
  if ((others?.count ?? 0) >= VERIFIED_NUMBERS_MAX) {
    throw new Problem(
      "limit_reached",
      `An account has at most ${VERIFIED_NUMBERS_MAX} phones of its own. Take one out first.`,
      { param: "phone_number" },
    );
  }
  return findVerifiedNumber(tx, account, phone);
}

/** Inserts a number, with its code or as already verified. */
export async function writeVerifiedNumber(
  deps: Pick<Base, "ids" | "clock">,
  tx: Tx,
  account: AccountRef,
  phone: string,
  state:
    | { readonly codeId: string; readonly sends: number; readonly expiresAtMs: number }
    | "verified",
): Promise<VerifiedNumberRow> {
  const now = deps.clock.now();
  const isVerified = state === "verified";
  const [row] = await tx.query<VerifiedNumberRow>(writePhone, [
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

/** Counts an attempt before checking it; the count stays even if the call fails. */
export async function countCodeAttempt(
  deps: Pick<Base, "db" | "clock">,
  account: AccountRef,
  phone: string,
): Promise<VerifiedNumberRow | null> {
  const values = [account.shard, account.id, phone, new Date(deps.clock.now())];
  const [row] = await deps.db.query<VerifiedNumberRow>(countAttempt, values);
  return row ?? null;
}

/** Null if the code was replaced or confirmed concurrently. */
export async function confirmVerifiedNumber(
  deps: Pick<Base, "clock">,
  tx: Tx,
  account: AccountRef,
  tried: VerifiedNumberRow,
): Promise<VerifiedNumberRow | null> {
  const { phone_number, code_id } = tried;
  const now = new Date(deps.clock.now());
  const values = [account.shard, account.id, phone_number, code_id, now];
  const [row] = await tx.query<VerifiedNumberRow>(verifyPhone, values);
  if (row) await notify(tx, "longwave_cache", account.id);
  return row ?? null;
}

export async function deleteVerifiedNumber(
  tx: Tx,
  account: AccountRef,
  phone: string,
): Promise<VerifiedNumberRow | null> {
  const [row] = await tx.query<VerifiedNumberRow>(deletePhone, [account.shard, account.id, phone]);
  if (row) await notify(tx, "longwave_cache", account.id);
  return row ?? null;
}

/** Verified numbers newest first, below an id. */
export function listVerifiedNumbers(
  db: Queryable,
  account: AccountRef,
  belowId: string | null,
  limit: number,
): Promise<VerifiedNumberRow[]> {
  const after = belowId === null ? sql`` : sql`and id < ${belowId}::uuid`;
  return db.query<VerifiedNumberRow>(
    composed(
      "list_verified_numbers",
      sql`select phone_number, id, created_at, verified_at, code_id, code_expires_at, sends, tries
            from verified_numbers
           where shard = ${account.shard} and account_id = ${account.id} ${after}
           order by id desc limit ${limit}`,
    ),
  );
}

export function presentVerifiedNumber(row: VerifiedNumberRow): VerifiedNumber {
  return {
    object: "verified_number",
    phone_number: row.phone_number,
    status: row.verified_at === null ? "pending" : "verified",
    created_at: formatTimestamp(row.created_at),
    verified_at: row.verified_at === null ? null : formatTimestamp(row.verified_at),
  };
}

/** The pending code if it may still be sent, or a new one. */
export function codeToSend(
  deps: Pick<Base, "ids" | "clock">,
  row: VerifiedNumberRow | null,
): { codeId: string; sends: number; expiresAtMs: number } {
  const now = deps.clock.now();
  if (row?.code_id && row.code_expires_at !== null && row.code_expires_at > now) {
    return { codeId: row.code_id, sends: row.sends + 1, expiresAtMs: row.code_expires_at };
  }
  const expiresAtMs = now + VERIFIED_NUMBER_CODE_SECONDS * 1_000;
  return { codeId: deps.ids.makeAt(now), sends: 1, expiresAtMs };
}
