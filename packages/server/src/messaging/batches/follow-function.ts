import { BATCH_RECIPIENT_MOVES } from "@longwave/contract";
import { isMove } from "../db/guards.ts";
import { SHARD, sqlFunction } from "../db/statement.ts";

const { hand_over, carrier_deferred, carrier_accepted, fail, skip } = BATCH_RECIPIENT_MOVES;
const MOVES = [hand_over, carrier_deferred, carrier_accepted, fail, skip];

/** Where each recipient stands, and where their message does. */
const STANDING = `select u.index, r.state as before,
                 case when m.status in ('sent', 'delivered') then 'sent'
                      when m.failure_code in ('recipient_opted_out', 'topic_unsubscribed') then 'skipped'
                      when m.status = 'failed' then 'failed'
                      when m.is_out then 'handed'
                      when batch_status = 'canceled' then 'failed'
                      else 'retrying' end as after,
                 case when m.status = 'queued' and not m.is_out and batch_status = 'canceled'
                      then 'carrier_unavailable' else m.failure_code end as failure_code,
                 m.carrier_code
            from unnest(ids, indexes) as u (id, index)
           cross join lateral (
             select status, failure_code, carrier_code, is_out from messages
              where shard = $1 and id = u.id limit 1
           ) as m
           cross join lateral (
             select state, message_id from batch_recipients
              where shard = $1 and batch_id = of_batch and index = u.index limit 1
           ) as r
           where r.message_id = u.id and (r.state = 'handed' or r.state = 'retrying' and batch_status <> 'canceled')`;

/**
 * Brings recipients of a batch, which is locked, to where their messages stand. A batch that is left
 * without anything on its way is due, and has been since it was made: the lane completes it, also when the
 * clock of a test stands at the moment that was waited for. In a canceled batch, who waited for another
 * attempt is canceled and stays so, and a text that was with the carrier when it was canceled is not tried
 * again.
 *
 * Rows are looked up one by one, or within the stretch of the batch that the recipients are in, whatever the
 * planner thinks of the tables' sizes: one that thought little of a new batch walked all of it each time.
 */
export const followBatch = sqlFunction({
  name: "follow_batch_v1",
  parameters: [
    SHARD,
    { name: "at", type: "timestamptz" },
    { name: "of_batch", type: "uuid" },
    // The messages, and their places in the batch, of which these are the first and the last.
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
    from (select t.*, ${isMove("t.before", "t.after", ...MOVES)} as is_move from (${STANDING}) as t) as f;
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
