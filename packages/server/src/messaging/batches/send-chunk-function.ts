import { BATCH_RECIPIENT_MOVES } from "@longwave/contract";
import { leaves, word } from "../db/guards.ts";
import { sqlFunction } from "../db/statement.ts";
import { acceptMessages } from "../handover/index.ts";

const { hand_over, carrier_deferred, carrier_accepted, fail, skip } = BATCH_RECIPIENT_MOVES;
const MOVES = [hand_over, carrier_deferred, carrier_accepted, fail, skip];
const [HANDED, RETRYING, SENT, FAILED, SKIPPED] = MOVES.map(({ to }) => word(to)) as [
  string,
  string,
  string,
  string,
  string,
];

/** What the turn came to for each recipient: of the texts, and of those for whom none was written. */
const OUTCOMES = `select batch_indexes[i] as index, case when is_accepted then ids[i] end as message_id,
           case when is_accepted then states[i] when verdicts[i] = 'recipient_opted_out' then ${SKIPPED} else ${FAILED} end as state,
           case when is_accepted then failure_codes[i] else verdicts[i] end as failure_code,
           case when is_accepted then carrier_codes[i] end as carrier_code
      from (select i, coalesce(verdicts[i], 'accepted') = 'accepted' as is_accepted from unnest(numbers) as i) as judged
    union all
    select refused.index, null, refused.state, refused.failure_code, null
      from unnest(refused_indexes, refused_states, refused_codes) as refused (index, state, failure_code)`;

/**
 * One turn of a batch that was read and composed before, without a lock: nothing of it is done if the
 * batch has moved since, or its account was suspended. Accepts its texts, moves its recipients and
 * counts them; when the next turn is due is given, and a batch that has nothing left on its way is due
 * then as well, so that somebody completes it.
 */
export const takeTurnAtOnce = sqlFunction({
  name: "take_batch_turn_v1",
  parameters: [
    ...acceptMessages.parameters,
    { name: "of_batch", type: "uuid" },
    // The recipients from the one up to the other, without that one.
    { name: "from_index", type: "integer" },
    { name: "till_index", type: "integer" },
    { name: "due_again", type: "timestamptz" },
    // Where each text leaves its recipient, if it is accepted.
    { name: "states", type: "text[]" },
    { name: "refused_indexes", type: "integer[]" },
    { name: "refused_states", type: "text[]" },
    { name: "refused_codes", type: "text[]" },
  ],
  answers: [
    { name: "is_taken", type: "boolean" },
    { name: "verdicts", type: "text[]" },
    { name: "billings", type: "text[]" },
    { name: "costs", type: "bigint[]" },
  ],
  moves: MOVES,
  tells: true,
  body: `
declare
  moved_to text[];
begin
  perform 1 from batches b join accounts a on a.id = b.account_id
    where b.shard = $1 and b.account_id = accounts[1] and b.id = of_batch and b.status = 'sending' and not b.held
      and b.next_index = from_index and b.wake_index is null and a.status <> 'suspended' for update of b;
  is_taken := found;
  if not is_taken then return; end if;
  if cardinality(numbers) > 0 then
    select a.verdicts, a.billings, a.costs into verdicts, billings, costs
      from ${acceptMessages.name}(${acceptMessages.parameters.map(({ name }) => name).join(", ")}) as a;
  end if;
  with moved as (
    update batch_recipients r
       set state = u.state, message_id = coalesce(u.message_id, r.message_id), attempts = r.attempts + 1,
           failure_code = u.failure_code, carrier_code = u.carrier_code, updated_at = at
      from (${OUTCOMES}) as u
     where r.shard = $1 and r.batch_id = of_batch and r.index = u.index
       and ${leaves("r.state", "waiting", ...MOVES)}
       -- Only this stretch of the batch is looked at, not every one of its recipients.
       and r.index >= from_index and r.index < till_index
    returning r.state
  )
  select array_agg(state) into moved_to from moved;
  if coalesce(cardinality(moved_to), 0) <> cardinality(numbers) + cardinality(refused_indexes) then
    raise exception 'Some recipients of batch % did not wait any more.', of_batch;
  end if;
  update batches b
     set waiting = b.waiting - cardinality(moved_to), handed = b.handed + t.handed, retrying = b.retrying + t.retrying,
         sent = b.sent + t.sent, failed = b.failed + t.failed, skipped = b.skipped + t.skipped, next_index = till_index,
         due_at = case when b.waiting > cardinality(moved_to) or b.handed + t.handed + b.retrying + t.retrying = 0
                       then due_again end
    from (select count(*) filter (where state = ${HANDED}) as handed, count(*) filter (where state = ${RETRYING}) as retrying,
                 count(*) filter (where state = ${SENT}) as sent, count(*) filter (where state = ${FAILED}) as failed,
                 count(*) filter (where state = ${SKIPPED}) as skipped from unnest(moved_to) as state) as t
   where b.shard = $1 and b.id = of_batch;
end`,
});
