import { FREE_TEXTS_PER_MONTH, FREE_VERIFICATIONS_PER_MONTH } from "@longwave/contract";
import type { Database } from "../db/database.ts";
import { createGroup, type Group } from "../db/group.ts";
import { type Clock, monthOf } from "../platform/clock.ts";
import type { GroupMeter } from "../platform/metrics.ts";
import { readStandings } from "./sql.ts";

/** An account's money and what is left of its free allowance. */
export interface Standing {
  readonly balanceMicros: number;
  readonly textsLeft: number;
  readonly verificationsLeft: number;
  /** What the account's own spend limit leaves of the month; null without one. */
  readonly roomMicros: number | null;
}

interface StandingRow {
  account_id: string;
  balance_micros: number;
  reserved_micros: number;
  allowance_month: string;
  texts_used: number;
  verifications_used: number;
  room_micros: number | null;
}

type Asked = { readonly shard: number; readonly id: string };

export type StandingReader = Group<Asked, Standing>;

const READS_PER_QUERY_MAX = 1_000;
const READS_WAITING_MAX = 10_000;
/** Reads disturb nobody, so the next one need not wait for the last. */
const READS_IN_FLIGHT_MAX = 2;

/**
 * Reads standings by groups: requests that arrive while a read is in flight share the next one.
 * Every answer is read after its request came, so a caller sees its own writes.
 */
export function createStandingReader(
  db: Database,
  clock: Clock,
  meter: GroupMeter,
): StandingReader {
  return createGroup<Asked, Standing>({
    meter,
    itemsPerWriteMax: READS_PER_QUERY_MAX,
    itemsWaitingMax: READS_WAITING_MAX,
    writesInFlightMax: READS_IN_FLIGHT_MAX,
    isItemFault: () => false,
    write: async (asked) => {
      const rows = new Map<string, StandingRow>();
      const month = monthOf(clock.now());
      for (const shard of new Set(asked.map((one) => one.shard))) {
        const ids = new Set(asked.filter((one) => one.shard === shard).map((one) => one.id));
        const found = await db.query<StandingRow>(readStandings, [shard, [...ids], month]);
        for (const row of found) rows.set(row.account_id, row);
      }
      return asked.map((one) => standingOf(rows.get(one.id), month));
    },
  });
}

function standingOf(row: StandingRow | undefined, month: string): Standing {
  const isThisMonth = row?.allowance_month === month;
  return {
    balanceMicros: (row?.balance_micros ?? 0) - (row?.reserved_micros ?? 0),
    textsLeft: Math.max(0, FREE_TEXTS_PER_MONTH - (isThisMonth ? (row?.texts_used ?? 0) : 0)),
    verificationsLeft: Math.max(
      0,
      FREE_VERIFICATIONS_PER_MONTH - (isThisMonth ? (row?.verifications_used ?? 0) : 0),
    ),
    roomMicros: row?.room_micros ?? null,
  };
}
