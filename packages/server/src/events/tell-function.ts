import { columnsOf } from "../db/columns.ts";
import { SHARD, sqlFunction } from "../db/sql-function.ts";

/** An event as the function is given it. */
interface ToldEvent {
  readonly accountId: string;
  readonly id: string;
  readonly type: string;
  readonly customerId?: string | null;
  readonly data: object;
}

const { plain, text } = columnsOf<ToldEvent>();

export const TELL_COLUMNS = [
  plain("account_ids", "uuid", (event) => event.accountId),
  plain("event_ids", "uuid", (event) => event.id),
  plain("event_types", "text", (event) => event.type),
  plain("customer_ids", "uuid", (event) => event.customerId ?? null),
  text("event_data", (event) => JSON.stringify(event.data)),
];

/**
 * Writes events and the deliveries that follow from them, and wakes who waits. The caller's
 * transaction has locked the counters of the accounts, from which the events are numbered: the order
 * of `seq` is the order of commits, so a reader that has seen N never misses one below N, and every
 * endpoint is seen as it stands at the events' commit. An item without an id tells nothing.
 */
export const tell = sqlFunction({
  name: "tell_v1",
  parameters: [SHARD, { name: "at", type: "timestamptz" }, ...TELL_COLUMNS],
  body: `
declare
  told integer[] := array(select i from generate_subscripts(event_ids, 1) as i where event_ids[i] is not null);
  accounts uuid[] := array(select distinct account_ids[i] from unnest(told) as i);
begin
  if cardinality(told) = 0 then return; end if;
  update account_counters c set event_seq = c.event_seq + n.events
    from (select account_ids[i] as account_id, count(*) as events from unnest(told) as i group by 1) as n
   where c.shard = $1 and c.account_id = any(accounts) and c.account_id = n.account_id;
  insert into events (shard, account_id, seq, id, type, customer_id, data, created_at)
  select $1, c.account_id, c.event_seq - e.later, event_ids[e.i], event_types[e.i], customer_ids[e.i],
         event_data[e.i]::json, at
    from account_counters c
    join (select i, account_ids[i] as account_id,
                 row_number() over (partition by account_ids[i] order by i desc) - 1 as later
            from unnest(told) as i) as e on e.account_id = c.account_id
   where c.shard = $1 and c.account_id = any(accounts)
   order by e.i;
  insert into webhook_jobs (shard, account_id, endpoint_id, event_id, due_at)
  select $1, w.account_id, w.id, event_ids[i], at
    from webhook_endpoints w
    join unnest(told) as i on account_ids[i] = w.account_id
   where w.shard = $1 and w.account_id = any(accounts) and w.active
     and (w.events is null or event_types[i] = any(w.events));
  perform pg_notify('longwave_events', account_id::text) from unnest(accounts) as account_id;
end`,
});
