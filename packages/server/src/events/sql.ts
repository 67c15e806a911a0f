/**
 * The part of a statement that writes events for a group of rows. `source` names a CTE with the
 * columns account_id, event_ord, event_id, event_type, event_customer_id, event_data, event_at
 * (rows without event_id emit nothing); `accounts` names one with account_id and event_seq as it
 * stood before, read after the counter rows were locked. $1 is the shard. The caller adds
 * `event_counts` to the counters in its own update of them.
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
     select $1, account_id, seq, event_id, event_type, event_customer_id, event_data::json, event_at
       from event_rows
   )`;
}
