import type { Mode } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { firstUuidAt } from "../../core/platform/ids.ts";
import { type CalendarDay, calendarDays } from "./calendar-days.ts";
import {
  readDays,
  settledUntilMs,
  storeDays,
  storedKey,
  type UsageDay,
  WHOLE_ACCOUNT,
} from "./stored-days.ts";

/** Messages and cost of one calendar day and direction, of a customer or (`WHOLE_ACCOUNT`) of the account. */
export interface DayCount {
  readonly customer_id: string;
  readonly day: string;
  readonly direction: "outbound" | "inbound";
  readonly count: number;
  readonly cost_micros: number;
}

/** A row of a count: the day by its position among the days asked for, from 1 on. */
export type CountedRow<T extends { readonly day: string }> = Omit<T, "day"> & {
  readonly day_at: number;
};

// The index by customer has the direction before the id, so both are named.
const countMessagesByDay = statement(
  "count_messages_by_day",
  `select customer_id, greatest(1, width_bucket(created_at, $7::timestamptz[])) as day_at, direction,
          count(*)::int as count, sum(price_micros)::bigint as cost_micros
     from messages
    where shard = $1 and account_id = $2 and customer_id = any($3::uuid[]) and mode = $4
      and direction in ('outbound', 'inbound')
      and id >= $5 and id < $6
    group by 1, 2, 3`,
  { profile: "scans" },
);

// Counts a whole account: by primary key where most messages of those days are its own, else by number.
const countAccountMessagesByDay = statement(
  "count_account_messages_by_day",
  `select '${WHOLE_ACCOUNT}'::uuid as customer_id,
          greatest(1, width_bucket(created_at, $6::timestamptz[])) as day_at, direction,
          count(*)::int as count, sum(price_micros)::bigint as cost_micros
     from messages
    where shard = $1 and account_id = $2 and mode = $3 and not from_service
      and id >= $4 and id < $5
    group by 1, 2, 3`,
  { profile: "scans" },
);

const DAY_MS = 86_400_000;
/** Time per statement, so that no other query waits for a connection while a year is counted. */
const COUNTED_MS_MAX = 7 * DAY_MS;
/** A message is stored moments after its id is made, so a day is complete only some time after its end. */
const OVER_AFTER_MS = 3_600_000;

export interface UsageQuery {
  /** UUIDs; null: the whole account. */
  readonly customerIds: readonly string[] | null;
  readonly mode: Mode;
  readonly fromMs: number;
  readonly beforeMs: number;
  /** IANA zone of the days. */
  readonly zone: string;
}

interface TimeRange {
  readonly fromMs: number;
  readonly beforeMs: number;
}

/**
 * Counts messages by customer, day and direction in [fromMs, beforeMs), for some customers or the whole account.
 *
 * A day may appear in two parts. Complete days are counted once and stored; a day that one of the customers lacks is
 * counted again for all of them. Zones with the same offset from UTC share stored days.
 */
export async function countByDay(
  deps: Base,
  account: AccountRef,
  query: UsageQuery,
): Promise<DayCount[]> {
  const { fromMs, beforeMs, mode, zone } = query;
  const overMs = Math.min(beforeMs, deps.clock.now() - OVER_AFTER_MS);
  const days = calendarDays(fromMs, beforeMs, zone);
  const whole = days.filter(
    (day) => day.offsetMinutes !== null && day.fromMs >= fromMs && day.untilMs <= overMs,
  );
  const customerIds = query.customerIds ?? [WHOLE_ACCOUNT];
  const known = completeDays(
    await readDays(deps, { account, customerIds, mode, days: whole }),
    customerIds.length,
  );
  const settledMs = await settledUntilMs(deps, account);
  const counted: DayCount[] = [];
  for (const range of uncountedRanges(query, days, known)) {
    counted.push(...(await countRange(deps, account, { ...query, ...range }, days)));
  }
  const byKey = new Map(counted.map((row) => [keyOf(row), row]));
  const fresh = whole
    .filter((day) => !known.has(storedKey(day)) && day.untilMs <= settledMs)
    .flatMap((day) => customerIds.map((customer_id) => dayOf(customer_id, day, byKey)));
  await storeDays(deps, { account, mode }, fresh);
  const stored = whole.flatMap((day) => known.get(storedKey(day)) ?? []);
  return [...stored.flatMap(countsOf), ...counted];
}

/** Stored rows of the days for which every customer has one. */
function completeDays(
  stored: readonly UsageDay[],
  customers: number,
): ReadonlyMap<string, readonly UsageDay[]> {
  const days = new Map<string, UsageDay[]>();
  for (const row of stored) {
    const key = storedKey({ day: row.day, offsetMinutes: row.utc_offset_minutes });
    const rows = days.get(key);
    if (rows) rows.push(row);
    else days.set(key, [row]);
  }
  return new Map([...days].filter(([, rows]) => rows.length === customers));
}

/** Ranges still to count, split at stored days and at COUNTED_MS_MAX. */
function uncountedRanges(
  { fromMs, beforeMs }: TimeRange,
  days: readonly CalendarDay[],
  stored: ReadonlyMap<string, unknown>,
): TimeRange[] {
  const ranges: TimeRange[] = [];
  let startMs = fromMs;
  const end = (ms: number) => {
    if (startMs < ms) ranges.push({ fromMs: startMs, beforeMs: ms });
    startMs = ms;
  };
  for (const day of days) {
    if (day.fromMs >= fromMs && day.untilMs <= beforeMs && stored.has(storedKey(day))) {
      end(day.fromMs);
      startMs = day.untilMs;
    } else if (day.fromMs - startMs >= COUNTED_MS_MAX) end(day.fromMs);
  }
  end(beforeMs);
  return ranges;
}

async function countRange(
  deps: Base,
  account: AccountRef,
  query: UsageQuery,
  days: readonly CalendarDay[],
): Promise<DayCount[]> {
  const { customerIds, mode, fromMs, beforeMs } = query;
  const { shard, id } = account;
  const touched = days.filter((day) => day.untilMs > fromMs && day.fromMs < beforeMs);
  const part = [mode, firstUuidAt(fromMs), firstUuidAt(beforeMs), startsOf(touched)];
  const rows =
    customerIds === null
      ? await deps.db.query<CountedRow<DayCount>>(countAccountMessagesByDay, [shard, id, ...part])
      : await deps.db.query<CountedRow<DayCount>>(countMessagesByDay, [
          shard,
          id,
          customerIds,
          ...part,
        ]);
  return namedDays<DayCount>(rows, touched);
}

export function startsOf(days: readonly CalendarDay[]): Date[] {
  return days.map((day) => new Date(day.fromMs));
}

/** Rows with their day's name instead of its position. */
export function namedDays<T extends { readonly day: string }>(
  rows: readonly CountedRow<T>[],
  days: readonly CalendarDay[],
): T[] {
  return rows.map(({ day_at, ...row }) => ({ ...row, day: days[day_at - 1]?.day }) as unknown as T);
}

type CountKey = Pick<DayCount, "customer_id" | "day" | "direction">;
const keyOf = ({ customer_id, day, direction }: CountKey) => `${customer_id} ${day} ${direction}`;

function dayOf(
  customer_id: string,
  { day, offsetMinutes }: CalendarDay,
  counted: ReadonlyMap<string, DayCount>,
): UsageDay {
  const outbound = counted.get(keyOf({ customer_id, day, direction: "outbound" }));
  const inbound = counted.get(keyOf({ customer_id, day, direction: "inbound" }));
  return {
    customer_id,
    day,
    utc_offset_minutes: offsetMinutes ?? 0,
    outbound: outbound?.count ?? 0,
    outbound_micros: outbound?.cost_micros ?? 0,
    inbound: inbound?.count ?? 0,
    inbound_micros: inbound?.cost_micros ?? 0,
  };
}

function countsOf({ customer_id, day, ...sums }: UsageDay): DayCount[] {
  const of = { customer_id, day };
  const counts: DayCount[] = [
    { ...of, direction: "outbound", count: sums.outbound, cost_micros: sums.outbound_micros },
    { ...of, direction: "inbound", count: sums.inbound, cost_micros: sums.inbound_micros },
  ];
  return counts.filter(({ count }) => count > 0);
}
