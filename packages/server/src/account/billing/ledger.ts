import type { Base, Owner } from "../base.ts";
import type { Queryable, Tx } from "../db/database.ts";
import { assert } from "../platform/assert.ts";
import { monthOf } from "../platform/clock.ts";
import {
  listLedgerEntries,
  postEntry,
  readBalance,
  readSpent,
  releaseMicros,
  reserveMicros,
} from "./sql.ts";

/** What money is taken for, and `credit`, which the operator gives or corrects. */
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
  /** The id (as a UUID) of what is billed or credited. */
  readonly objectId: string;
  /** For what recurs, such as a number's month. */
  readonly period?: string;
  readonly amountMicros: number;
  readonly note?: string | null;
}

export interface Balance {
  readonly balance_micros: number;
  readonly reserved_micros: number;
  /** What can still be spent. */
  readonly available_micros: number;
}

/** Posts an entry and moves the balance. Null when this fact is in the ledger already. */
export async function post(
  deps: Base,
  tx: Tx,
  owner: Owner,
  entry: LedgerEntry,
): Promise<Balance | null> {
  return postReleasing(deps, tx, owner, entry, 0);
}

/** What keeps money from being set aside. */
export type MoneyRefusal = "insufficient_credits" | "spend_limit_reached";

/**
 * Sets money aside for a call that is about to be made; answers what refuses it, or null. The spend
 * limit is asked where `limitedAtMs` gives the moment: what recurs by itself passes it by.
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

/** Turns a reservation into an entry: the call was made. */
export async function settle(
  deps: Base,
  tx: Tx,
  owner: Owner,
  entry: LedgerEntry,
): Promise<Balance | null> {
  assertAmount(-entry.amountMicros);
  return postReleasing(deps, tx, owner, entry, -entry.amountMicros);
}

/** Gives a reservation back: the call was not made. */
export async function release(tx: Tx, owner: Owner, amountMicros: number): Promise<void> {
  assertAmount(amountMicros);
  if (amountMicros === 0) return;
  await tx.query(releaseMicros, [owner.shard, owner.accountId, amountMicros]);
}

export async function balanceOf(db: Queryable, owner: Owner): Promise<Balance> {
  const [row] = await db.query<BalanceRow>(readBalance, [owner.shard, owner.accountId]);
  return balanceFrom(row ?? { balance_micros: 0, reserved_micros: 0 });
}

/** What was billed in the calendar month of a moment: its debits in the ledger, without corrections. */
export async function spentOf(db: Queryable, owner: Owner, ms: number): Promise<number> {
  const values = [owner.shard, owner.accountId, monthOf(ms)];
  const [row] = await db.query<{ spent_micros: number }>(readSpent, values);
  return row?.spent_micros ?? 0;
}

type BalanceRow = Omit<Balance, "available_micros">;

function balanceFrom(row: BalanceRow): Balance {
  return { ...row, available_micros: row.balance_micros - row.reserved_micros };
}

/** Money set aside is a whole, positive number of micro-dollars: anything else is a bug. */
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

/** An entry as it is read back. */
export interface LedgerRow {
  readonly object_id: string;
  readonly kind: Exclude<LedgerKind, "message" | "inbound">;
  readonly period: string;
  readonly amount_micros: number;
  readonly note: string | null;
  readonly created_at: number;
}

/** Where a page of the ledger begins: after this entry, or with the newest one. */
export type LedgerPlace = readonly [
  createdAt: string,
  objectId: string,
  kind: string,
  period: string,
];

/** What moved an account's balance, newest first; texts apart. */
export function listLedger(
  db: Queryable,
  owner: Owner,
  after: LedgerPlace | null,
  limit: number,
): Promise<LedgerRow[]> {
  const place = after ?? [null, null, null, null];
  return db.query<LedgerRow>(listLedgerEntries, [owner.shard, owner.accountId, ...place, limit]);
}
