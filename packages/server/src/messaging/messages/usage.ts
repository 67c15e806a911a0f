import type { Mode } from "@longwave/contract";
import type { Base } from "../base.ts";
import type { AccountRef } from "../db/account-cache.ts";
import { statement } from "../db/statement.ts";
import { nextDayMs } from "../platform/clock.ts";
import { firstUuidAt } from "../platform/ids.ts";
import { dateOf, keepDays, readDays, settledUntilMs, type UsageDay } from "./usage-days.ts";

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

const DAY_MS = 86_400_000;
/** So many days are counted by one statement: nobody who waits for its connection waits for a year. */
const COUNTED_MS_MAX = 7 * DAY_MS;
/** A text is written moments after its time was read: a day is over a while after its end. */
const OVER_AFTER_MS = 3_600_000;

interface Wanted {
  readonly customerId: string | null;
  readonly mode: Mode;
  readonly fromMs: number;
  readonly beforeMs: number;
}

interface Stretch {
  readonly fromMs: number;
  readonly beforeMs: number;
}

/**
 * Texts by day and direction, from one moment up to before another: a customer's, or all of them. A day
 * may be told in two parts. Days that are over are counted once and kept.
 */
export async function countByDay(
  deps: Base,
  account: AccountRef,
  wanted: Wanted,
): Promise<DayCount[]> {
  const firstMs = Math.ceil(wanted.fromMs / DAY_MS) * DAY_MS;
  const overMs = Math.floor((deps.clock.now() - OVER_AFTER_MS) / DAY_MS) * DAY_MS;
  const lastMs = Math.min(overMs, Math.floor(wanted.beforeMs / DAY_MS) * DAY_MS);
  const whole = { ...wanted, account, fromMs: firstMs, beforeMs: lastMs };
  const kept = new Map((await readDays(deps, whole)).map((day) => [day.day, day]));
  const settledMs = await settledUntilMs(deps, account);
  const counts = [...kept.values()].flatMap(countsOf);
  const fresh: UsageDay[] = [];
  for (const { fromMs, beforeMs } of stretchesOf(wanted, kept)) {
    const rows = await countStretch(deps, account, { ...wanted, fromMs, beforeMs });
    counts.push(...rows);
    const untilMs = Math.min(beforeMs, lastMs, settledMs);
    for (let ms = Math.max(fromMs, firstMs); ms + DAY_MS <= untilMs; ms += DAY_MS) {
      fresh.push(dayOf(dateOf(ms), rows));
    }
  }
  await keepDays(deps, whole, fresh);
  return counts;
}

/** What is still to be counted, cut where a day was kept and where it would be much at once. */
function stretchesOf({ fromMs, beforeMs }: Wanted, kept: ReadonlyMap<string, UsageDay>): Stretch[] {
  const stretches: Stretch[] = [];
  let begunMs = fromMs;
  const end = (ms: number) => {
    if (begunMs < ms) stretches.push({ fromMs: begunMs, beforeMs: ms });
    begunMs = ms;
  };
  for (let ms = fromMs; ms < beforeMs; ms = nextDayMs(ms)) {
    if (kept.has(dateOf(ms)) && ms % DAY_MS === 0 && ms + DAY_MS <= beforeMs) {
      end(ms);
      begunMs = ms + DAY_MS;
    } else if (ms - begunMs >= COUNTED_MS_MAX) end(ms);
  }
  end(beforeMs);
  return stretches;
}

function countStretch(deps: Base, account: AccountRef, wanted: Wanted): Promise<DayCount[]> {
  const { customerId, mode, fromMs, beforeMs } = wanted;
  const { shard, id } = account;
  const part = [mode, firstUuidAt(fromMs), firstUuidAt(beforeMs)];
  return customerId === null
    ? deps.db.query<DayCount>(countAccountMessagesByDay, [shard, id, ...part])
    : deps.db.query<DayCount>(countMessagesByDay, [shard, id, customerId, ...part]);
}

function dayOf(day: string, rows: readonly DayCount[]): UsageDay {
  const of = (direction: DayCount["direction"]) =>
    rows.find((row) => row.day === day && row.direction === direction);
  const [outbound, inbound] = [of("outbound"), of("inbound")];
  return {
    day,
    outbound: outbound?.count ?? 0,
    outbound_micros: outbound?.cost_micros ?? 0,
    inbound: inbound?.count ?? 0,
    inbound_micros: inbound?.cost_micros ?? 0,
  };
}

function countsOf({ day, ...sums }: UsageDay): DayCount[] {
  const counts: DayCount[] = [
    { day, direction: "outbound", count: sums.outbound, cost_micros: sums.outbound_micros },
    { day, direction: "inbound", count: sums.inbound, cost_micros: sums.inbound_micros },
  ];
  return counts.filter(({ count }) => count > 0);
}
