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

// The same for all of an account: what has each status, one stretch of it for each.
const countAccountMessagesByDay = statement(
  "count_account_messages_by_day",
  `select (m.created_at at time zone 'UTC')::date as day, m.direction, count(*)::int as count,
          sum(m.price_micros)::bigint as cost_micros
     from message_statuses s
     join messages m on m.shard = s.shard and m.id = s.id
    where s.shard = $1 and s.account_id = $2 and m.mode = $3
      and s.status in ('queued', 'sent', 'delivered', 'failed', 'received')
      and s.id >= $4 and s.id < $5 and m.shard = $1 and m.id >= $4 and m.id < $5
    group by 1, 2`,
  { profile: "scans" },
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
