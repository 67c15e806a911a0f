import type { Mode } from "@longwave/contract";
import type { Base } from "../base.ts";
import type { AccountRef } from "../db/account-cache.ts";
import { statement } from "../db/statement.ts";
import { uuidTime } from "../platform/ids.ts";

/** What one UTC day brought, as it is kept. */
export interface UsageDay {
  readonly day: string;
  readonly outbound: number;
  readonly outbound_micros: number;
  readonly inbound: number;
  readonly inbound_micros: number;
}

/** Whose usage it is, and of which days: from one midnight up to before another. */
export interface DaysWanted {
  readonly account: AccountRef;
  readonly customerId: string | null;
  readonly mode: Mode;
  readonly fromMs: number;
  readonly beforeMs: number;
}

const WHOLE_ACCOUNT = "00000000-0000-0000-0000-000000000000";

const readUsageDays = statement(
  "read_usage_days",
  `select day, outbound, outbound_micros, inbound, inbound_micros from usage_days
    where shard = $1 and account_id = $2 and customer_id = $3 and mode = $4 and day >= $5 and day < $6`,
);

/** Two who counted the same day at once counted the same. */
const keepUsageDays = statement(
  "keep_usage_days",
  `insert into usage_days (shard, account_id, customer_id, mode, day, outbound, outbound_micros, inbound,
     inbound_micros)
   select $1, $2, $3, $4, d.*
     from unnest($5::date[], $6::int[], $7::bigint[], $8::int[], $9::bigint[]) as d
   on conflict do nothing`,
);

/** The oldest text that waits to be sent: what it will have cost is not known yet. */
const findOldestQueued = statement(
  "find_oldest_queued",
  `select id from message_statuses where shard = $1 and account_id = $2 and status = 'queued'
    order by id limit 1`,
);

export const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const keyOf = ({ account, customerId, mode }: DaysWanted) => [
  account.shard,
  account.id,
  customerId ?? WHOLE_ACCOUNT,
  mode,
];

export async function readDays(deps: Base, wanted: DaysWanted): Promise<UsageDay[]> {
  if (wanted.fromMs >= wanted.beforeMs) return [];
  const days = [dateOf(wanted.fromMs), dateOf(wanted.beforeMs)];
  return deps.db.query<UsageDay>(readUsageDays, [...keyOf(wanted), ...days]);
}

/** Up to when what the account's texts cost is known for good. Asked before they are counted. */
export async function settledUntilMs(deps: Base, account: AccountRef): Promise<number> {
  const values = [account.shard, account.id];
  const [oldest] = await deps.db.query<{ id: string }>(findOldestQueued, values);
  return oldest ? uuidTime(oldest.id) : Number.POSITIVE_INFINITY;
}

/**
 * Keeps days for whoever asks next; not those before there was the account, which have no end. Whoever asked
 * now has their answer, also where that fails.
 */
export async function keepDays(
  deps: Base,
  wanted: DaysWanted,
  counted: readonly UsageDay[],
): Promise<void> {
  const firstDay = dateOf(uuidTime(wanted.account.id));
  const days = counted.filter(
    ({ day, outbound, inbound }) => day >= firstDay || outbound + inbound > 0,
  );
  if (days.length === 0) return;
  const column = (field: keyof UsageDay) => days.map((day) => day[field]);
  const columns = ["day", "outbound", "outbound_micros", "inbound", "inbound_micros"] as const;
  try {
    await deps.db.query(keepUsageDays, [...keyOf(wanted), ...columns.map(column)]);
  } catch (error) {
    deps.log.debug({ err: error }, "days of usage could not be kept");
  }
}
