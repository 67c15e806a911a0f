import { SPEND_ALERT_THRESHOLDS_DEFAULT } from "@longwave/contract";
import type { Owner } from "../base.ts";
import type { Queryable, Tx } from "../db/database.ts";
import { expect } from "../platform/assert.ts";
import { monthOf } from "../platform/clock.ts";
import {
  findSpendLimit,
  lockSpending,
  writeNextAlert,
  writeSpendLimit,
  writeThresholds,
  writeTold,
} from "./spend-limit-sql.ts";

/** An account's own limit on what a calendar month may cost, and how far the month has come. */
export interface SpendLimitState {
  /** Null: no limit. */
  readonly limitMicros: number | null;
  readonly thresholds: readonly number[];
  readonly spentMicros: number;
  readonly reservedMicros: number;
}

/** A percentage of the limit that the month's spending has reached, told of once. */
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
  readonly told_thresholds: readonly number[] | null;
}

export async function readSpendLimit(
  db: Queryable,
  owner: Owner,
  nowMs: number,
): Promise<SpendLimitState> {
  return stateOf(await find(db, owner, nowMs));
}

/** What is left out stays. Answers the state before and after; thresholds already passed wait to be taken. */
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
 * Takes the thresholds that this month's spending has passed and nobody has been told of, lowest
 * first, and says at which amount the next one is due. Whoever takes them tells of them in `tx`.
 */
export async function takePassedThresholds(
  tx: Tx,
  owner: Owner,
  nowMs: number,
): Promise<PassedThreshold[]> {
  const row = await lock(tx, owner, nowMs);
  const { limitMicros, thresholds, spentMicros } = stateOf(row);
  if (limitMicros === null) return [];
  const told = new Set(row.told_thresholds ?? []);
  const untold = thresholds.filter((percent) => !told.has(percent));
  const passed = untold.filter((percent) => spentMicros >= amountOf(limitMicros, percent));
  if (passed.length > 0) {
    const all = [...told, ...passed];
    await tx.query(writeTold, [owner.shard, owner.accountId, monthOf(nowMs), all]);
  }
  const ahead = untold
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

/** The spending at which so many percent of a limit are reached. */
function amountOf(limitMicros: number, percent: number): number {
  return Math.ceil((limitMicros * percent) / 100);
}
