import { CARRIER_COST_SETTLES_DAYS, type Mode } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { uuidTime } from "../../core/platform/ids.ts";
import type { CalendarDay } from "./calendar-days.ts";

/** Stored usage of one calendar day, of a customer or (`WHOLE_ACCOUNT`) of the account. */
export interface UsageDay {
  readonly customer_id: string;
  readonly day: string;
  readonly utc_offset_minutes: number;
  readonly outbound: number;
  readonly outbound_micros: number;
  readonly inbound: number;
  readonly inbound_micros: number;
}

interface UsageDaysQuery {
  readonly account: AccountRef;
  /** UUIDs, or `WHOLE_ACCOUNT` alone. */
  readonly customerIds: readonly string[];
  readonly mode: Mode;
  /** Oldest first, each with an offset. */
  readonly days: readonly CalendarDay[];
}

const COSTS_MOVE_MS = CARRIER_COST_SETTLES_DAYS * 86_400_000 + 3_600_000;
/** Stands for the account in place of a customer's id. */
export const WHOLE_ACCOUNT = "00000000-0000-0000-0000-000000000000";

const readUsageDays = statement(
  "read_usage_days",
  `select customer_id, day, utc_offset_minutes, outbound, outbound_micros, inbound, inbound_micros from usage_days
    where shard = $1 and account_id = $2 and customer_id = any($3::uuid[]) and mode = $4
      and utc_offset_minutes = any($5::smallint[]) and day >= $6 and day <= $7`,
);

/** Two processes that count the same day get the same counts, so conflicts are ignored. */
const storeUsageDays = statement(
  "store_usage_days",
  `insert into usage_days (shard, account_id, customer_id, mode, day, utc_offset_minutes, outbound, outbound_micros,
     inbound, inbound_micros)
   select $1, $2, d.customer_id, $3, d.day, d.utc_offset_minutes, d.outbound, d.outbound_micros, d.inbound,
          d.inbound_micros
     from unnest($4::uuid[], $5::date[], $6::smallint[], $7::int[], $8::bigint[], $9::int[], $10::bigint[])
       as d (customer_id, day, utc_offset_minutes, outbound, outbound_micros, inbound, inbound_micros)
   on conflict do nothing`,
);

/** The oldest queued message: its final cost is not known yet. */
const findOldestQueued = statement(
  "find_oldest_queued",
  `select id from message_statuses where shard = $1 and account_id = $2 and mode in ('test', 'live') and status = 'queued'
    order by id limit 1`,
);

/** Days with the same name and offset are the same 24 hours, whatever the zone. */
export function storedKey({ day, offsetMinutes }: Pick<CalendarDay, "day" | "offsetMinutes">) {
  return `${day} ${offsetMinutes}`;
}

export async function readDays(
  deps: Base,
  { account, customerIds, mode, days }: UsageDaysQuery,
): Promise<UsageDay[]> {
  const [first] = days;
  const last = days.at(-1);
  if (!first || !last) return [];
  const offsets = [...new Set(days.map((day) => day.offsetMinutes))];
  const values = [account.shard, account.id, customerIds, mode, offsets, first.day, last.day];
  return deps.db.query<UsageDay>(readUsageDays, values);
}

/** Time before which every message of the account has its final cost. Read before counting. */
export async function settledUntilMs(deps: Base, account: AccountRef): Promise<number> {
  const values = [account.shard, account.id];
  const [oldest] = await deps.db.query<{ id: string }>(findOldestQueued, values);
  const queuedMs = oldest ? uuidTime(oldest.id) : Number.POSITIVE_INFINITY;
  // Receipts that name a cost may change prices until then; the margin is for receipts in hand.
  const isMoving = deps.prices.followsCosts();
  const movingMs = deps.clock.now() - COSTS_MOVE_MS;
  return isMoving ? Math.min(queuedMs, movingMs) : queuedMs;
}

/**
 * Stores complete days for later queries, except the endless days before the account existed.
 *
 * A failure is only logged: the present query already has its answer.
 */
export async function storeDays(
  deps: Base,
  query: Pick<UsageDaysQuery, "account" | "mode">,
  counted: readonly UsageDay[],
): Promise<void> {
  const { account, mode } = query;
  const firstDay = new Date(uuidTime(account.id)).toISOString().slice(0, 10);
  const days = counted.filter(
    ({ day, outbound, inbound }) => day >= firstDay || outbound + inbound > 0,
  );
  if (days.length === 0) return;
  const column = (field: keyof UsageDay) => days.map((day) => day[field]);
  const columns = [
    "customer_id",
    "day",
    "utc_offset_minutes",
    "outbound",
    "outbound_micros",
    "inbound",
    "inbound_micros",
  ] as const;
  try {
    await deps.db.query(storeUsageDays, [account.shard, account.id, mode, ...columns.map(column)]);
  } catch (error) {
    deps.log.debug({ err: error }, "usage: counted days were not stored");
  }
}
