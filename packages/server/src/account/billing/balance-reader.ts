import { FREE_TEXTS_PER_MONTH, FREE_VERIFICATIONS_PER_MONTH } from "@longwave/contract";
import type { Database } from "../../core/db/driver/database.ts";
import { createGroup, type Group } from "../../core/db/driver/group.ts";
import { type Clock, monthOf } from "../../core/platform/clock.ts";
import type { GroupMeter } from "../../core/platform/metrics.ts";
import { readBalances } from "./sql.ts";

/** Balance of an account and its remaining allowance. */
export interface BalanceSummary {
  readonly balanceMicros: number;
  readonly messagesLeft: number;
  readonly verificationsLeft: number;
  /** Remainder of the month's spend limit; null without a limit. */
  readonly roomMicros: number | null;
}

interface BalanceSummaryRow {
  account_id: string;
  balance_micros: number;
  reserved_micros: number;
  allowance_month: string;
  texts_used: number;
  verifications_used: number;
  room_micros: number | null;
}

type BalanceRequest = { readonly shard: number; readonly id: string };

export type BalanceReader = Group<BalanceRequest, BalanceSummary>;

const READS_PER_QUERY_MAX = 1_000;
const READS_WAITING_MAX = 10_000;
/** Concurrent reads; reads do not block each other, so a second need not wait. */
const READS_IN_FLIGHT_MAX = 2;

/**
 * Reads balances in groups: requests that arrive during a read share the next one. Every read starts after its request
 * arrived, so a caller sees its own writes.
 */
export function createBalanceReader(db: Database, clock: Clock, meter: GroupMeter): BalanceReader {
  return createGroup<BalanceRequest, BalanceSummary>({
    meter,
    itemsPerWriteMax: READS_PER_QUERY_MAX,
    itemsWaitingMax: READS_WAITING_MAX,
    writesInFlightMax: READS_IN_FLIGHT_MAX,
    isItemFault: () => false,
    write: async (asked) => {
      const rows = new Map<string, BalanceSummaryRow>();
      const month = monthOf(clock.now());
      for (const shard of new Set(asked.map((one) => one.shard))) {
        const ids = new Set(asked.filter((one) => one.shard === shard).map((one) => one.id));
        const found = await db.query<BalanceSummaryRow>(readBalances, [shard, [...ids], month]);
        for (const row of found) rows.set(row.account_id, row);
      }
      return asked.map((one) => balanceSummaryOf(rows.get(one.id), month));
    },
  });
}

function balanceSummaryOf(row: BalanceSummaryRow | undefined, month: string): BalanceSummary {
  const isThisMonth = row?.allowance_month === month;
  return {
    balanceMicros: (row?.balance_micros ?? 0) - (row?.reserved_micros ?? 0),
    messagesLeft: Math.max(0, FREE_TEXTS_PER_MONTH - (isThisMonth ? (row?.texts_used ?? 0) : 0)),
    verificationsLeft: Math.max(
      0,
      FREE_VERIFICATIONS_PER_MONTH - (isThisMonth ? (row?.verifications_used ?? 0) : 0),
    ),
    roomMicros: row?.room_micros ?? null,
  };
}
