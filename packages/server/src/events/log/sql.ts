import { statement } from "../../core/db/driver/statement.ts";

// The numbers come from the account's counter row, which stays locked until commit: the order of `seq` is the order of
// commits, so a reader that has seen N never misses one below N.
export const appendEvents = statement(
  "append_events",
  `with given as (
     select e.*, row_number() over (order by e.ord) as n
       from jsonb_to_recordset($3::jsonb) as e (ord int, id uuid, type text, mode text, customer_id uuid, data text)
   ), numbered as (
     update account_counters set event_seq = event_seq + (select count(*) from given)
      where shard = $1 and account_id = $2
     returning event_seq - (select count(*) from given) as start
   )
   insert into events (shard, account_id, seq, id, type, mode, customer_id, data, created_at)
   select $1, $2, n.start + g.n, g.id, g.type, g.mode, g.customer_id, g.data::json, $4
     from given g, numbered n`,
  { accountsParameter: 1 },
);

// A statement of its own, after the lock: it reads endpoints as of the events' commit.
export const queueDeliveries = statement(
  "queue_deliveries",
  `insert into webhook_jobs (shard, account_id, endpoint_id, event_id, due_at)
   select $1, $2, w.id, e.id, $4
     from webhook_endpoints w, jsonb_to_recordset($3::jsonb) as e (id uuid, type text, mode text)
    where w.shard = $1 and w.account_id = $2 and w.active
      and e.mode = any(w.modes) and (w.events is null or e.type = any(w.events))`,
);

export const EVENT_COLUMNS = "e.id, e.seq, e.type, e.mode, e.created_at, e.data::text as data";

export const findEvent = statement(
  "find_event",
  `select ${EVENT_COLUMNS} from events e
    where e.shard = $1 and e.account_id = $2 and e.id = $3 and e.mode = $4`,
);

/** Position of an account's log: every event up to this number is committed. */
export const readEventSeq = statement(
  "read_event_seq",
  "select event_seq from account_counters where shard = $1 and account_id = $2",
);

export const readEventSeqs = statement(
  "read_event_seqs",
  `select account_id, event_seq from account_counters
    where shard = $1 and account_id = any($2::uuid[])`,
);

/** Events of a mode after each of several positions in the logs of several accounts, oldest first. */
export const readEventsAfter = statement(
  "read_events_after",
  `select r.position, ${EVENT_COLUMNS}
     from unnest($2::uuid[], $6::text[], $3::bigint[]) with ordinality as r (account_id, mode, seq, position)
    cross join lateral (
      select * from events e
       where e.shard = $1 and e.account_id = r.account_id and e.mode = r.mode and e.seq > r.seq and e.id >= $4::uuid
       order by e.seq limit $5
    ) e
    order by r.position, e.seq`,
);
