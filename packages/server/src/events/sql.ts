import { statement } from "../db/statement.ts";

/**
 * The part of a statement that writes events for a group of rows, and the deliveries that follow
 * from them. `source` names a CTE with the columns account_id, event_ord, event_id, event_type,
 * event_customer_id, event_data (json), event_at (rows without event_id emit nothing); `accounts` names
 * one with account_id and event_seq as it stood before, read after the counter rows were locked by
 * a statement before this one: so it also sees every endpoint as it stands at the events' commit.
 * $1 is the shard. The caller adds `event_counts` to the counters in its own update of them.
 */
export function eventCtes(source: string, accounts: string): string {
  return `event_rows as (
     select s.account_id, s.event_id, s.event_type, s.event_customer_id, s.event_data, s.event_at,
            a.event_seq + row_number() over (partition by s.account_id order by s.event_ord) as seq
       from ${source} s join ${accounts} a on a.account_id = s.account_id
      where s.event_id is not null
   ), event_counts as (
     select account_id, count(*) as events from event_rows group by account_id
   ), event_inserts as (
     insert into events (shard, account_id, seq, id, type, customer_id, data, created_at)
     select $1, account_id, seq, event_id, event_type, event_customer_id, event_data, event_at
       from event_rows
   ), event_subscribers as (
     select w.account_id, w.id, w.events
       from event_counts c
       join webhook_endpoints w on w.shard = $1 and w.account_id = c.account_id and w.active
   ), event_deliveries as (
     insert into webhook_jobs (shard, account_id, endpoint_id, event_id, due_at)
     select $1, e.account_id, w.id, e.event_id, e.event_at
       from event_subscribers w join event_rows e on e.account_id = w.account_id
      where w.events is null or e.event_type = any(w.events)
   )`;
}

/** A column that wakes, at commit, whoever waits for events of the accounts that `eventCtes` wrote. */
export const WAKE_WAITING =
  "(select count(pg_notify('longwave_events', account_id::text)) from event_counts) as woken";

// The numbering is taken from the account's counter row, which stays locked until commit: the
// order of `seq` is the order of commits, so a reader that has seen N never misses one below N.
export const appendEvents = statement(
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

/** The same for a group of accounts that a statement before this one locked; it also wakes who waits. */
export const appendEventGroup = statement(
  "append_event_group",
  `with given as (
     select e.ord as event_ord, e.account_id, e.id as event_id, e.type as event_type,
            e.customer_id as event_customer_id, e.data as event_data, $4::timestamptz as event_at
       from json_to_recordset($2::json) as e (ord int, account_id uuid, id uuid, type text,
         customer_id uuid, data json)
   ), a as (
     select account_id, event_seq from account_counters
      where shard = $1 and account_id = any($3::uuid[])
   ), ${eventCtes("given", "a")}, numbered as (
     update account_counters x set event_seq = x.event_seq + c.events
       from event_counts c where x.shard = $1 and x.account_id = c.account_id
   )
   select pg_notify('longwave_events', account_id::text) from event_counts`,
);

// A statement of its own, after the lock: it sees endpoints as they stand at the events' commit.
export const queueDeliveries = statement(
  "queue_deliveries",
  `insert into webhook_jobs (shard, account_id, endpoint_id, event_id, due_at)
   select $1, $2, w.id, e.id, $4
     from webhook_endpoints w, jsonb_to_recordset($3::jsonb) as e (id uuid, type text)
    where w.shard = $1 and w.account_id = $2 and w.active
      and (w.events is null or e.type = any(w.events))`,
);

export const EVENT_COLUMNS = "e.id, e.seq, e.type, e.created_at, e.data::text as data";

export const findEvent = statement(
  "find_event",
  `select ${EVENT_COLUMNS} from events e
    where e.shard = $1 and e.account_id = $2 and e.id = $3`,
);

/** How far an account's log has come: every event up to this number is committed. */
export const readEventSeq = statement(
  "read_event_seq",
  "select event_seq from account_counters where shard = $1 and account_id = $2",
);

export const readEventSeqs = statement(
  "read_event_seqs",
  `select account_id, event_seq from account_counters
    where shard = $1 and account_id = any($2::uuid[])`,
);

/** What follows each of several places in the logs of several accounts, oldest first. */
export const readEventsAfter = statement(
  "read_events_after",
  `select r.place, ${EVENT_COLUMNS}
     from unnest($2::uuid[], $3::bigint[]) with ordinality as r (account_id, seq, place)
    cross join lateral (
      select * from events e
       where e.shard = $1 and e.account_id = r.account_id and e.seq > r.seq and e.id >= $4::uuid
       order by e.seq limit $5
    ) e
    order by r.place, e.seq`,
);
