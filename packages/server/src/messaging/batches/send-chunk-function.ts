import { BATCH_RECIPIENT_MOVES } from "@longwave/contract";
import { leaves, sqlLiteral } from "../../core/db/driver/guards.ts";
import { sqlFunction } from "../../core/db/driver/statement.ts";
import { acceptMessages } from "../messages/index.ts";
import { PACE_STEP_MS } from "./pace.ts";

const { submit, carrier_deferred, carrier_accepted, fail, skip } = BATCH_RECIPIENT_MOVES;
const MOVES = [submit, carrier_deferred, carrier_accepted, fail, skip];
const [HANDED, RETRYING, SENT, FAILED, SKIPPED] = MOVES.map(({ to }) => sqlLiteral(to)) as [
  string,
  string,
  string,
  string,
  string,
];

/** Outcomes of recipients with a message, then of recipients refused before the write. */
const OUTCOMES = `select batch_indexes[i] as index, case when is_accepted then ids[i] end as message_id,
           case when is_accepted then states[i] when verdicts[i] = 'recipient_opted_out' then ${SKIPPED} else ${FAILED} end as state,
           case when is_accepted then failure_codes[i] else verdicts[i] end as failure_code,
           case when is_accepted then carrier_codes[i] end as carrier_code
      from (select i, coalesce(verdicts[i], 'accepted') = 'accepted' as is_accepted from unnest(numbers) as i) as accepted
    union all
    select refused.index, null, refused.state, refused.failure_code, null
      from unnest(refused_indexes, refused_states, refused_codes) as refused (index, state, failure_code)`;

/** Occupies the sending number for the chunk, or postpones the batch until the number is free. */
const RESERVE_PACE = `insert into batch_pace as p (shard, account_id, from_number, free_at)
    values ($1, of_account, sender, at + pace)
    on conflict (shard, account_id, from_number) do update
      set free_at = greatest(p.free_at, at - interval '${PACE_STEP_MS} milliseconds') + pace
    where p.free_at <= at
    returning p.free_at into due_again;
    if due_again is null then
      update batches b set due_at = greatest(p.free_at, at + interval '1 millisecond')
        from batch_pace p
       where b.shard = $1 and b.id = of_batch
         and p.shard = $1 and p.account_id = of_account and p.from_number = sender;
      outcome := 'paced';
      return;
    end if;`;

/**
 * Sends one chunk of a batch, composed without a lock: accepts its messages, moves and counts its recipients,
 * and makes the batch due again. Writes nothing if the batch has moved since, its account may not send
 * (`maySend`), or its sending number is still occupied.
 *
 * `outcome` is 'sent', 'finished' (sent, with no recipient waiting, handed or retrying), 'moved' or 'paced'. A
 * finished batch is due at once, so that the lane completes it even after a crash.
 */
export const sendBatchChunk = sqlFunction({
  name: "send_batch_chunk_v1",
  parameters: [
    ...acceptMessages.parameters,
    { name: "of_account", type: "uuid" },
    { name: "of_batch", type: "uuid" },
    // The chunk's recipients: from_index inclusive, till_index exclusive.
    { name: "from_index", type: "integer" },
    { name: "till_index", type: "integer" },
    // How long the chunk occupies its sending number; null without a pace.
    { name: "pace_ms", type: "integer" },
    // The recipient's state for each message that is accepted.
    { name: "states", type: "text[]" },
    { name: "refused_indexes", type: "integer[]" },
    { name: "refused_states", type: "text[]" },
    { name: "refused_codes", type: "text[]" },
  ],
  answers: [
    { name: "outcome", type: "text" },
    { name: "verdicts", type: "text[]" },
    { name: "billings", type: "text[]" },
    { name: "costs", type: "bigint[]" },
  ],
  moves: MOVES,
  emitsEvents: true,
  body: `
declare
  sender text;
  pace interval := make_interval(secs => pace_ms / 1000.0);
  due_again timestamptz := at;
  moved_to text[];
begin
  select b.from_number into sender from batches b join accounts a on a.id = b.account_id
    where b.shard = $1 and b.account_id = of_account and b.id = of_batch and b.status = 'sending' and not b.suspended
      and b.next_index = from_index and b.wake_index is null
      and a.status = 'active' and (b.mode = 'test' or a.live_access = 'granted') for update of b;
  outcome := case when found then 'sent' else 'moved' end;
  if outcome = 'moved' then return; end if;
  if pace is not null then
    ${RESERVE_PACE}
  end if;
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
       -- Bounds the index scan to the chunk.
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
         due_at = case when b.waiting > cardinality(moved_to) then due_again
                       when b.handed + t.handed + b.retrying + t.retrying = 0 then at end
    from (select count(*) filter (where state = ${HANDED}) as handed, count(*) filter (where state = ${RETRYING}) as retrying,
                 count(*) filter (where state = ${SENT}) as sent, count(*) filter (where state = ${FAILED}) as failed,
                 count(*) filter (where state = ${SKIPPED}) as skipped from unnest(moved_to) as state) as t
   where b.shard = $1 and b.id = of_batch
  returning case when b.waiting + b.handed + b.retrying = 0 then 'finished' else 'sent' end into outcome;
end`,
});
