import { BATCH_RECIPIENT_MOVES } from "@longwave/contract";
import { isMove } from "../../core/db/driver/guards.ts";
import { SHARD, sqlFunction } from "../../core/db/driver/statement.ts";

const { submit, carrier_deferred, carrier_accepted, fail, skip } = BATCH_RECIPIENT_MOVES;
const MOVES = [submit, carrier_deferred, carrier_accepted, fail, skip];

/** State of each recipient before, and the state that its message gives it. */
const RECIPIENT_STATES = `select u.index, r.state as before,
                 case when m.status in ('sent', 'delivered') then 'sent'
                      when m.failure_code in ('recipient_opted_out', 'opt_in_required', 'topic_unsubscribed') then 'skipped'
                      when m.status = 'failed' then 'failed'
                      when m.awaiting_carrier then 'handed'
                      when batch_status = 'canceled' then 'failed'
                      else 'retrying' end as after,
                 case when m.status = 'queued' and not m.awaiting_carrier and batch_status = 'canceled'
                      then 'carrier_unavailable' else m.failure_code end as failure_code,
                 m.carrier_code
            from unnest(ids, indexes) as u (id, index)
           cross join lateral (
             select status, failure_code, carrier_code, awaiting_carrier from messages
              where shard = $1 and id = u.id limit 1
           ) as m
           cross join lateral (
             select state, message_id from batch_recipients
              where shard = $1 and batch_id = of_batch and index = u.index limit 1
           ) as r
           where r.message_id = u.id and (r.state = 'handed' or r.state = 'retrying' and batch_status <> 'canceled')`;

/**
 * Moves recipients of a locked batch to the states of their messages.
 *
 * A batch without waiting, handed or retrying recipients becomes due, so that the lane completes it. Its due
 * time is its creation, which is past even under a stopped test clock.
 *
 * In a canceled batch, recipients that waited for a retry stay canceled. A message that was with the carrier
 * at the cancel is not retried.
 *
 * Lateral joins and index bounds force index lookups. With stale statistics for a new batch, the planner
 * scanned all its recipients every time.
 */
export const followBatch = sqlFunction({
  name: "follow_batch_v1",
  parameters: [
    SHARD,
    { name: "at", type: "timestamptz" },
    { name: "of_batch", type: "uuid" },
    // Messages and their indexes in the batch; first_index and last_index are the bounds of `indexes`.
    { name: "ids", type: "uuid[]" },
    { name: "indexes", type: "integer[]" },
    { name: "first_index", type: "integer" },
    { name: "last_index", type: "integer" },
  ],
  moves: MOVES,
  body: `
declare
  batch_status text;
  befores text[];
  afters text[];
  moving integer[];
  moved_to text[];
  failures text[];
  codes text[];
begin
  select b.status into batch_status from batches b where b.shard = $1 and b.id = of_batch;
  select array_agg(f.before), array_agg(f.after), array_agg(f.index) filter (where f.is_move),
         array_agg(f.after) filter (where f.is_move), array_agg(f.failure_code) filter (where f.is_move),
         array_agg(f.carrier_code) filter (where f.is_move)
    into befores, afters, moving, moved_to, failures, codes
    from (select t.*, ${isMove("t.before", "t.after", ...MOVES)} as is_move from (${RECIPIENT_STATES}) as t) as f;
  if befores is null then return; end if;
  update batch_recipients x
     set state = u.state, failure_code = u.failure_code, carrier_code = u.carrier_code, updated_at = at
    from unnest(moving, moved_to, failures, codes) as u (index, state, failure_code, carrier_code)
   where x.shard = $1 and x.batch_id = of_batch and x.index = u.index
     and x.index >= first_index and x.index <= last_index;
  update batches b
     set handed = b.handed + t.handed, retrying = b.retrying + t.retrying, sent = b.sent + t.sent,
         failed = b.failed + t.failed, skipped = b.skipped + t.skipped,
         due_at = case when b.status = 'sending' and b.waiting = 0
                        and b.handed + t.handed + b.retrying + t.retrying = 0 then b.created_at else b.due_at end
    from (select count(*) filter (where u.after = 'handed') - count(*) filter (where u.before = 'handed') as handed,
                 count(*) filter (where u.after = 'retrying') - count(*) filter (where u.before = 'retrying') as retrying,
                 count(*) filter (where u.after = 'sent') as sent, count(*) filter (where u.after = 'failed') as failed,
                 count(*) filter (where u.after = 'skipped') as skipped
            from unnest(befores, afters) as u (before, after)) as t
   where b.shard = $1 and b.id = of_batch;
end`,
});
