import type { Base, Owner } from "../../core/base.ts";
import type { Queryable, Tx } from "../../core/db/driver/database.ts";
import { assert } from "../../core/platform/assert.ts";
import { monthOf } from "../../core/platform/clock.ts";
import {
  listLedgerEntries,
  postEntry,
  readBalance,
  readSpent,
  releaseMicros,
  reserveMicros,
} from "./sql.ts";

/** Reasons for a debit, and `credit`: a credit or correction by the operator. */
export type LedgerKind =
  | "credit"
  | "message"
  | "inbound"
  | "verification"
  | "number_month"
  | "registration";

/** One billable fact. The database refuses a second entry of the same fact. */
export interface LedgerEntry {
  readonly kind: LedgerKind;
  /** Id (a UUID) of the billed or credited object. */
  readonly objectId: string;
  /** For recurring charges, such as a number's month. */
  readonly period?: string;
  readonly amountMicros: number;
  readonly note?: string | null;
}

export interface Balance {
  readonly balance_micros: number;
  readonly reserved_micros: number;
  /** Balance minus reservations. */
  readonly available_micros: number;
}

/** Posts an entry and moves the balance. Null if the ledger already has this fact. */
export async function post(
  deps: Base,
  tx: Tx,
  owner: Owner,
  entry: LedgerEntry,
): Promise<Balance | null> {
  return postReleasing(deps, tx, owner, entry, 0);
}

/** Reasons to refuse a reservation. */
export type MoneyRefusal = "insufficient_credits" | "spend_limit_reached";

/**
 * Reserves money for a call that is about to happen; returns the reason of a refusal, or null. `limitedAtMs`: time at
 * which the spend limit applies; recurring charges omit it and ignore the limit.
 */
export async function reserve(
  tx: Tx,
  owner: Owner,
  amountMicros: number,
  limitedAtMs: number | null,
): Promise<MoneyRefusal | null> {
  assertAmount(amountMicros);
  if (amountMicros === 0) return null;
  const month = limitedAtMs === null ? null : monthOf(limitedAtMs);
  const [asked] = await tx.query<{ has_credit: boolean; has_room: boolean }>(reserveMicros, [
    owner.shard,
    owner.accountId,
    amountMicros,
    month,
  ]);
  if (asked?.has_room === false) return "spend_limit_reached";
  return asked?.has_credit ? null : "insufficient_credits";
}

/** Turns a reservation into an entry: the call succeeded. */
export async function settle(
  deps: Base,
  tx: Tx,
  owner: Owner,
  entry: LedgerEntry,
): Promise<Balance | null> {
  assertAmount(-entry.amountMicros);
  return postReleasing(deps, tx, owner, entry, -entry.amountMicros);
}

/** Releases a reservation: the call did not happen. */
export async function release(tx: Tx, owner: Owner, amountMicros: number): Promise<void> {
  assertAmount(amountMicros);
  if (amountMicros === 0) return;
  await tx.query(releaseMicros, [owner.shard, owner.accountId, amountMicros]);
}

export async function balanceOf(db: Queryable, owner: Owner): Promise<Balance> {
  const [row] = await db.query<BalanceRow>(readBalance, [owner.shard, owner.accountId]);
  return balanceFrom(row ?? { balance_micros: 0, reserved_micros: 0 });
}

/** Debits of the calendar month around `ms`, without corrections. */
export async function spentOf(db: Queryable, owner: Owner, ms: number): Promise<number> {
  const values = [owner.shard, owner.accountId, monthOf(ms)];
  const [row] = await db.query<{ spent_micros: number }>(readSpent, values);
  return row?.spent_micros ?? 0;
}

type BalanceRow = Omit<Balance, "available_micros">;

function balanceFrom(row: BalanceRow): Balance {
  return { ...row, available_micros: row.balance_micros - row.reserved_micros };
}

/** Amounts are whole, positive micro-dollars: anything else is a bug. */
function assertAmount(micros: number): void {
  assert(Number.isSafeInteger(micros) && micros >= 0, `an amount of ${micros} micro-dollars`);
}

async function postReleasing(
  deps: Base,
  tx: Tx,
  owner: Owner,
  entry: LedgerEntry,
  releasedMicros: number,
): Promise<Balance | null> {
  assert(Number.isSafeInteger(entry.amountMicros), `an entry of ${entry.amountMicros}`);
  const now = deps.clock.now();
  const billed = entry.kind === "credit" ? 0 : Math.max(0, -entry.amountMicros);
  const [row] = await tx.query<BalanceRow>(postEntry, [
    owner.shard,
    owner.accountId,
    entry.objectId,
    entry.kind,
    entry.period ?? "",
    entry.amountMicros,
    entry.note ?? null,
    new Date(now),
    releasedMicros,
    billed,
    monthOf(now),
  ]);
  return row ? balanceFrom(row) : null;
}

/** A ledger entry as read back. */
export interface LedgerRow {
  readonly object_id: string;
  readonly kind: Exclude<LedgerKind, "message" | "inbound">;
  readonly period: string;
  readonly amount_micros: number;
  readonly note: string | null;
  readonly created_at: number;
}

/** Start of a page of the ledger: after this entry, or from the newest. */
export type LedgerCursor = readonly [
  createdAt: string,
  objectId: string,
  kind: string,
  period: string,
];

/** Ledger entries of an account except messages, newest first. */
export function listLedger(
  db: Queryable,
  owner: Owner,
  after: LedgerCursor | null,
  limit: number,
): Promise<LedgerRow[]> {
  const place = after ?? [null, null, null, null];
  return db.query<LedgerRow>(listLedgerEntries, [owner.shard, owner.accountId, ...place, limit]);
}
