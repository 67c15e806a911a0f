import type { Mode } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { nextDayMs } from "../../core/platform/clock.ts";
import { firstUuidAt } from "../../core/platform/ids.ts";
import {
  dateOf,
  readDays,
  settledUntilMs,
  storeDays,
  type UsageDay,
  WHOLE_ACCOUNT,
} from "./stored-days.ts";

/** Messages and cost of one UTC day and direction, of a customer or (`WHOLE_ACCOUNT`) of the account. */
export interface DayCount {
  readonly customer_id: string;
  readonly day: string;
  readonly direction: "outbound" | "inbound";
  readonly count: number;
  readonly cost_micros: number;
}

// The index by customer has the direction before the id, so both are named.
const countMessagesByDay = statement(
  "count_messages_by_day",
  `select customer_id, (created_at at time zone 'UTC')::date as day, direction, count(*)::int as count,
          sum(price_micros)::bigint as cost_micros
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
  `select '${WHOLE_ACCOUNT}'::uuid as customer_id, (created_at at time zone 'UTC')::date as day, direction,
          count(*)::int as count, sum(price_micros)::bigint as cost_micros
     from messages
    where shard = $1 and account_id = $2 and mode = $3 and not from_service
      and id >= $4 and id < $5
    group by 1, 2, 3`,
  { profile: "scans" },
);

const DAY_MS = 86_400_000;
/** Days per statement, so that no other query waits for a connection while a year is counted. */
const COUNTED_MS_MAX = 7 * DAY_MS;
/** A message is stored moments after its id is made, so a day is complete only some time after its end. */
const OVER_AFTER_MS = 3_600_000;

interface UsageQuery {
  /** UUIDs; null: the whole account. */
  readonly customerIds: readonly string[] | null;
  readonly mode: Mode;
  readonly fromMs: number;
  readonly beforeMs: number;
}

interface TimeRange {
  readonly fromMs: number;
  readonly beforeMs: number;
}

/**
 * Counts messages by customer, day and direction in [fromMs, beforeMs), for some customers or the whole account.
 *
 * A day may appear in two parts. Complete days are counted once and stored; a day that one of the customers lacks is
 * counted again for all of them.
 */
export async function countByDay(
  deps: Base,
  account: AccountRef,
  query: UsageQuery,
): Promise<DayCount[]> {
  const firstMs = Math.ceil(query.fromMs / DAY_MS) * DAY_MS;
  const overMs = Math.floor((deps.clock.now() - OVER_AFTER_MS) / DAY_MS) * DAY_MS;
  const lastMs = Math.min(overMs, Math.floor(query.beforeMs / DAY_MS) * DAY_MS);
  const customerIds = query.customerIds ?? [WHOLE_ACCOUNT];
  const whole = { ...query, account, customerIds, fromMs: firstMs, beforeMs: lastMs };
  const storedDays = completeDays(await readDays(deps, whole), customerIds.length);
  const settledMs = await settledUntilMs(deps, account);
  const counts = [...storedDays.values()].flat().flatMap(countsOf);
  const fresh: UsageDay[] = [];
  for (const { fromMs, beforeMs } of uncountedRanges(query, storedDays)) {
    const rows = await countRange(deps, account, { ...query, fromMs, beforeMs });
    counts.push(...rows);
    const untilMs = Math.min(beforeMs, lastMs, settledMs);
    const counted = new Map(rows.map((row) => [keyOf(row), row]));
    for (let ms = Math.max(fromMs, firstMs); ms + DAY_MS <= untilMs; ms += DAY_MS) {
      for (const id of customerIds)
        fresh.push(dayOf({ customer_id: id, day: dateOf(ms) }, counted));
    }
  }
  await storeDays(deps, whole, fresh);
  return counts;
}

/** Stored rows of the days for which every customer has one. */
function completeDays(
  stored: readonly UsageDay[],
  customers: number,
): ReadonlyMap<string, readonly UsageDay[]> {
  const days = new Map<string, UsageDay[]>();
  for (const row of stored) {
    const rows = days.get(row.day);
    if (rows) rows.push(row);
    else days.set(row.day, [row]);
  }
  return new Map([...days].filter(([, rows]) => rows.length === customers));
}

/** Ranges still to count, split at stored days and at COUNTED_MS_MAX. */
function uncountedRanges(
  { fromMs, beforeMs }: UsageQuery,
  storedDays: ReadonlyMap<string, unknown>,
): TimeRange[] {
  const ranges: TimeRange[] = [];
  let startMs = fromMs;
  const end = (ms: number) => {
    if (startMs < ms) ranges.push({ fromMs: startMs, beforeMs: ms });
    startMs = ms;
  };
  for (let ms = fromMs; ms < beforeMs; ms = nextDayMs(ms)) {
    if (storedDays.has(dateOf(ms)) && ms % DAY_MS === 0 && ms + DAY_MS <= beforeMs) {
      end(ms);
      startMs = ms + DAY_MS;
    } else if (ms - startMs >= COUNTED_MS_MAX) end(ms);
  }
  end(beforeMs);
  return ranges;
}

function countRange(deps: Base, account: AccountRef, query: UsageQuery): Promise<DayCount[]> {
  const { customerIds, mode, fromMs, beforeMs } = query;
  const { shard, id } = account;
  const part = [mode, firstUuidAt(fromMs), firstUuidAt(beforeMs)];
  return customerIds === null
    ? deps.db.query<DayCount>(countAccountMessagesByDay, [shard, id, ...part])
    : deps.db.query<DayCount>(countMessagesByDay, [shard, id, customerIds, ...part]);
}

type CountKey = Pick<DayCount, "customer_id" | "day" | "direction">;
const keyOf = ({ customer_id, day, direction }: CountKey) => `${customer_id} ${day} ${direction}`;

function dayOf(
  of: Pick<DayCount, "customer_id" | "day">,
  counted: ReadonlyMap<string, DayCount>,
): UsageDay {
  const outbound = counted.get(keyOf({ ...of, direction: "outbound" }));
  const inbound = counted.get(keyOf({ ...of, direction: "inbound" }));
  return {
    ...of,
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
