import { SPEND_ALERT_THRESHOLDS_DEFAULT } from "@longwave/contract";
import type { Owner } from "../../core/base.ts";
import type { Queryable, Tx } from "../../core/db/driver/database.ts";
import { expect } from "../../core/platform/assert.ts";
import { monthOf } from "../../core/platform/clock.ts";
import {
  findSpendLimit,
  lockSpending,
  writeAlerted,
  writeNextAlert,
  writeSpendLimit,
  writeThresholds,
} from "./sql.ts";

/** An account's spend limit for a calendar month, and its spending so far. */
export interface SpendLimitState {
  /** Null: no limit. */
  readonly limitMicros: number | null;
  readonly thresholds: readonly number[];
  readonly spentMicros: number;
  readonly reservedMicros: number;
}

/** A percentage of the limit that the month's spending has reached; announced once. */
export interface PassedThreshold {
  readonly percent: number;
  readonly limitMicros: number;
  readonly spentMicros: number;
}

interface SpendRow {
  readonly spend_limit_micros: number | null;
  readonly spent_micros: number;
  readonly reserved_micros: number;
  readonly alert_thresholds: readonly number[] | null;
  readonly alerted_thresholds: readonly number[] | null;
}

export async function readSpendLimit(
  db: Queryable,
  owner: Owner,
  nowMs: number,
): Promise<SpendLimitState> {
  return stateOf(await find(db, owner, nowMs));
}

/** Omitted fields stay. Returns the state before and after; thresholds already passed stay pending. */
export async function changeSpendLimit(
  tx: Tx,
  owner: Owner,
  changes: {
    readonly limitMicros?: number | null | undefined;
    readonly thresholds?: readonly number[] | undefined;
  },
  nowMs: number,
): Promise<{ before: SpendLimitState; after: SpendLimitState }> {
  const before = stateOf(await lock(tx, owner, nowMs));
  const limitMicros = changes.limitMicros === undefined ? before.limitMicros : changes.limitMicros;
  const thresholds = changes.thresholds ?? before.thresholds;
  await tx.query(writeSpendLimit, [owner.shard, owner.accountId, limitMicros]);
  await tx.query(writeThresholds, [owner.shard, owner.accountId, thresholds, new Date(nowMs)]);
  return { before, after: { ...before, limitMicros, thresholds } };
}

/**
 * Takes the thresholds that this month's spending has passed and no event has announced, lowest first, and stores the
 * amount of the next one. The caller appends their events in `tx`.
 */
export async function takePassedThresholds(
  tx: Tx,
  owner: Owner,
  nowMs: number,
): Promise<PassedThreshold[]> {
  const row = await lock(tx, owner, nowMs);
  const { limitMicros, thresholds, spentMicros } = stateOf(row);
  if (limitMicros === null) return [];
  const alerted = new Set(row.alerted_thresholds ?? []);
  const pending = thresholds.filter((percent) => !alerted.has(percent));
  const passed = pending.filter((percent) => spentMicros >= amountOf(limitMicros, percent));
  if (passed.length > 0) {
    const all = [...alerted, ...passed];
    await tx.query(writeAlerted, [owner.shard, owner.accountId, monthOf(nowMs), all]);
  }
  const ahead = pending
    .filter((percent) => !passed.includes(percent))
    .map((percent) => amountOf(limitMicros, percent));
  const next = ahead.length === 0 ? null : Math.min(...ahead);
  await tx.query(writeNextAlert, [owner.shard, owner.accountId, next]);
  return passed.map((percent) => ({ percent, limitMicros, spentMicros }));
}

async function lock(tx: Tx, owner: Owner, nowMs: number): Promise<SpendRow> {
  await tx.query(lockSpending, [owner.shard, owner.accountId]);
  return find(tx, owner, nowMs);
}

async function find(db: Queryable, owner: Owner, nowMs: number): Promise<SpendRow> {
  const values = [owner.shard, owner.accountId, monthOf(nowMs)];
  const [row] = await db.query<SpendRow>(findSpendLimit, values);
  return expect(row, "the account is gone");
}

function stateOf(row: SpendRow): SpendLimitState {
  return {
    limitMicros: row.spend_limit_micros,
    thresholds: row.alert_thresholds ?? SPEND_ALERT_THRESHOLDS_DEFAULT,
    spentMicros: row.spent_micros,
    reservedMicros: row.reserved_micros,
  };
}

/** Spending in micros at this percentage of a limit. */
function amountOf(limitMicros: number, percent: number): number {
  return Math.ceil((limitMicros * percent) / 100);
}
