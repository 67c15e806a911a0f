import { columnsOf, SHARD, sqlFunction } from "../../core/db/driver/statement.ts";

/** Input of the function for one event. */
interface EventInput {
  readonly accountId: string;
  readonly id: string;
  readonly type: string;
  readonly mode: string;
  readonly customerId?: string | null;
  readonly data: object;
}

const { plain, text } = columnsOf<EventInput>();

export const APPENDED_COLUMNS = [
  plain("account_ids", "uuid", (event) => event.accountId),
  plain("event_ids", "uuid", (event) => event.id),
  plain("event_types", "text", (event) => event.type),
  plain("event_modes", "text", (event) => event.mode),
  plain("customer_ids", "uuid", (event) => event.customerId ?? null),
  text("event_data", (event) => JSON.stringify(event.data)),
];

/**
 * Appends events and queues their deliveries. The caller's transaction has locked the counters of the accounts, which
 * number the events. The order of `seq` is therefore the order of commits: a reader that has seen N never misses one
 * below N. Endpoints are read as of the events' commit. An item without an id appends nothing. Waiting readers get a
 * NOTIFY at the commit. Returns how many events were appended.
 */
export const appendEventsFunction = sqlFunction({
  name: "append_events_v1",
  parameters: [
    SHARD,
    { name: "at", type: "timestamptz" },
    // Accounts of the items, each once.
    { name: "accounts", type: "uuid[]" },
    // The last number, if the caller's lock has numbered the events: they all belong to one account then.
    { name: "numbered_to", type: "bigint" },
    ...APPENDED_COLUMNS,
  ],
  answers: [{ name: "appended", type: "integer" }],
  emitsEvents: true,
  body: `
declare
  last_seq bigint := numbered_to;
begin
  appended := coalesce(cardinality(array_remove(event_ids, null)), 0);
  if appended = 0 then return; end if;

  -- Fast path for most groups: one account, and every item has an event.
  if cardinality(accounts) = 1 and appended = cardinality(event_ids) then
    if last_seq is null then
      update account_counters c set event_seq = c.event_seq + appended
       where c.shard = $1 and c.account_id = accounts[1] returning c.event_seq into last_seq;
    end if;
    insert into events (shard, account_id, seq, id, type, mode, customer_id, data, created_at)
    select $1, accounts[1], last_seq - appended + e.i, e.id, event_types[e.i], event_modes[e.i], customer_ids[e.i], event_data[e.i]::json, at
      from unnest(event_ids) with ordinality as e (id, i);
    insert into webhook_jobs (shard, account_id, endpoint_id, event_id, due_at)
    select $1, w.account_id, w.id, e.id, at
      from webhook_endpoints w, unnest(event_ids, event_types, event_modes) as e (id, type, mode)
     where w.shard = $1 and w.account_id = accounts[1] and w.active
       and e.mode = any(w.modes) and (w.events is null or e.type = any(w.events));
    return;
  end if;

  update account_counters c set event_seq = c.event_seq + n.events
    from (select e.account_id, count(e.id) as events from unnest(account_ids, event_ids) as e (account_id, id)
           group by e.account_id) as n
   where c.shard = $1 and c.account_id = any(accounts) and c.account_id = n.account_id and n.events > 0;
  insert into events (shard, account_id, seq, id, type, mode, customer_id, data, created_at)
  select $1, c.account_id, c.event_seq - e.later, e.id, event_types[e.i], event_modes[e.i], customer_ids[e.i],
         event_data[e.i]::json, at
    from account_counters c
    join (select u.i, u.account_id, u.id,
                 row_number() over (partition by u.account_id order by u.i desc) - 1 as later
            from unnest(account_ids, event_ids) with ordinality as u (account_id, id, i)
           where u.id is not null) as e on e.account_id = c.account_id
   where c.shard = $1 and c.account_id = any(accounts)
   order by e.i;
  insert into webhook_jobs (shard, account_id, endpoint_id, event_id, due_at)
  select $1, w.account_id, w.id, e.id, at
    from webhook_endpoints w
    join unnest(account_ids, event_ids, event_types, event_modes) as e (account_id, id, type, mode) on e.account_id = w.account_id
   where w.shard = $1 and w.account_id = any(accounts) and w.active and e.id is not null
     and e.mode = any(w.modes) and (w.events is null or e.type = any(w.events));
end`,
});
