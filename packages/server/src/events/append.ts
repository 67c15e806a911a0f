import type { EventType } from "@longwave/contract";
import type { Tx } from "../db/database.ts";
import { notify } from "../db/notifications.ts";
import { statement } from "../db/statement.ts";
import type { Deps } from "../deps.ts";

export interface NewEvent {
  readonly type: EventType;
  readonly data: Readonly<Record<string, unknown>>;
  /** The customer (as a UUID) that the subject belongs to, if any. */
  readonly customerId?: string | null;
}

// The numbering is taken from the account's counter row, which stays locked until commit: the
// order of `seq` is the order of commits, so a reader that has seen N never misses one below N.
const appendEvents = statement(
  "append_events",
  `with given as (
     select e.*, row_number() over (order by e.ord) as n
       from jsonb_to_recordset($3::jsonb) as e (ord int, id uuid, type text, customer_id uuid, data text)
   ), numbered as (
     update account_counters set event_seq = event_seq + (select count(*) from given)
      where shard = $1 and account_id = $2
     returning event_seq - (select count(*) from given) as start
   )
   insert into events (shard, account_id, seq, id, type, customer_id, data, created_at)
   select $1, $2, n.start + g.n, g.id, g.type, g.customer_id, g.data::json, $4
     from given g, numbered n`,
);

/** Writes events in the caller's transaction, numbered in commit order. */
export async function append(
  deps: Deps,
  tx: Tx,
  owner: { readonly shard: number; readonly accountId: string },
  events: readonly NewEvent[],
): Promise<void> {
  if (events.length === 0) return;
  const now = deps.clock.now();
  const rows = events.map((event, ord) => ({
    ord,
    id: deps.ids.makeAt(now),
    type: event.type,
    customer_id: event.customerId ?? null,
    data: JSON.stringify(event.data),
  }));
  await tx.query(appendEvents, [owner.shard, owner.accountId, JSON.stringify(rows), new Date(now)]);
  await notify(tx, "longwave_events", owner.accountId);
}
