import type { Mode } from "@longwave/contract";
import type { Base } from "../base.ts";
import type { AccountRef } from "../db/account-cache.ts";
import { statement } from "../db/statement.ts";
import { firstUuidAt } from "../platform/ids.ts";

/** What one UTC day brought in one direction. */
export interface DayCount {
  readonly day: string;
  readonly direction: "outbound" | "inbound";
  readonly count: number;
  readonly cost_micros: number;
}

// The index by customer has the direction before the id, so both are named.
const countMessagesByDay = statement(
  "count_messages_by_day",
  `select (created_at at time zone 'UTC')::date as day, direction, count(*)::int as count,
          sum(price_micros)::bigint as cost_micros
     from messages
    where shard = $1 and account_id = $2 and customer_id = $3 and mode = $4
      and direction in ('outbound', 'inbound')
      and id >= $5 and id < $6
    group by 1, 2`,
  { profile: "scans" },
);

// The same for all of an account: along the key where most of those days' texts are its own, else by number.
const countAccountMessagesByDay = statement(
  "count_account_messages_by_day",
  `select (created_at at time zone 'UTC')::date as day, direction, count(*)::int as count,
          sum(price_micros)::bigint as cost_micros
     from messages
    where shard = $1 and account_id = $2 and mode = $3 and not from_service
      and id >= $4 and id < $5
    group by 1, 2`,
  { profile: "scans" },
);

/** So many days are counted by one statement: nobody who waits for its connection waits for a year. */
const COUNTED_MS_MAX = 7 * 86_400_000;

/**
 * Texts by day and direction, from one moment up to before another: a customer's, or all of them. A day
 * may be told in two parts.
 */
export async function countByDay(
  deps: Base,
  account: AccountRef,
  wanted: {
    readonly customerId: string | null;
    readonly mode: Mode;
    readonly fromMs: number;
    readonly beforeMs: number;
  },
): Promise<DayCount[]> {
  const { customerId, mode, fromMs, beforeMs } = wanted;
  const counts: DayCount[] = [];
  for (let ms = fromMs; ms < beforeMs; ms += COUNTED_MS_MAX) {
    const endMs = Math.min(beforeMs, ms + COUNTED_MS_MAX);
    const part = [mode, firstUuidAt(ms), firstUuidAt(endMs)];
    const { shard, id } = account;
    const rows =
      customerId === null
        ? await deps.db.query<DayCount>(countAccountMessagesByDay, [shard, id, ...part])
        : await deps.db.query<DayCount>(countMessagesByDay, [shard, id, customerId, ...part]);
    counts.push(...rows);
  }
  return counts;
}
