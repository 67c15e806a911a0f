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

// The index by customer has the status before the id, so all statuses are named.
const countMessagesByDay = statement(
  "count_messages_by_day",
  `select (created_at at time zone 'UTC')::date as day, direction, count(*)::int as count,
          sum(price_micros)::bigint as cost_micros
     from messages
    where shard = $1 and account_id = $2 and customer_id = $3 and mode = $4
      and status in ('queued', 'sent', 'delivered', 'failed', 'received')
      and id >= $5 and id < $6
    group by 1, 2`,
);

// The same for all of an account: the index by status, one stretch of it for each.
const countAccountMessagesByDay = statement(
  "count_account_messages_by_day",
  `select (created_at at time zone 'UTC')::date as day, direction, count(*)::int as count,
          sum(price_micros)::bigint as cost_micros
     from messages
    where shard = $1 and account_id = $2 and mode = $3 and not from_service
      and status in ('queued', 'sent', 'delivered', 'failed', 'received')
      and id >= $4 and id < $5
    group by 1, 2`,
);

/** Texts by day and direction, from one moment up to before another: a customer's, or all of them. */
export function countByDay(
  deps: Base,
  account: AccountRef,
  wanted: {
    readonly customerId: string | null;
    readonly mode: Mode;
    readonly fromMs: number;
    readonly beforeMs: number;
  },
): Promise<DayCount[]> {
  const window = [wanted.mode, firstUuidAt(wanted.fromMs), firstUuidAt(wanted.beforeMs)];
  const { shard, id } = account;
  return wanted.customerId === null
    ? deps.db.query<DayCount>(countAccountMessagesByDay, [shard, id, ...window])
    : deps.db.query<DayCount>(countMessagesByDay, [shard, id, wanted.customerId, ...window]);
}
