import {
  BILLING_OF_ITEM,
  COST_OF_ITEM,
  countedSoFar,
  HELD_BY_ITEMS,
  holdSets,
  MONEY_VERDICTS,
  NOTHING_COUNTED,
  WEIGHING_NOTHING,
  weighing,
} from "../billing/index.ts";
import { IS_OPTED_OUT } from "../consent/index.ts";
import { type Statement, statement } from "../db/statement.ts";
import { countingHandOvers } from "../deliverability/index.ts";
import { eventCtes, WAKE_WAITING } from "../events/index.ts";
import { ITEM_CONSENT } from "./sql.ts";

/**
 * What a group asks of the statement that accepts it. PostgreSQL sets up and takes down every part
 * of a statement for each group, also one that finds nothing to do: a group of sandbox texts has
 * neither money, quota nor key to look at, and is spared the parts that do.
 */
export interface AcceptParts {
  /** Some item claims an Idempotency-Key. */
  readonly keyed: boolean;
  /** Some item counts against balance, allowance or quota. */
  readonly weighed: boolean;
  /** Some item is handed to a carrier by being written. */
  readonly handed: boolean;
  /** What becomes of some item is known as it is written: the simulated network's. */
  readonly decided: boolean;
}

/**
 * Accepts a group of messages of one shard. $2 the items, $3 the accounts; where items are weighed
 * or keyed $4 now, $5 the month, $6 the day, $7 the monthly free texts. For each item the first thing
 * that refuses it is its verdict; accepted ones are written with their event, their claim, their
 * hand-over and what they cost, and whoever waits for events is woken.
 *
 * The answer is one row: how many were accepted, and the items that were refused or cost something.
 */
export function acceptMessages(parts: AcceptParts): Statement {
  return VARIANTS[variantOf(parts)] as Statement;
}

function variantOf({ keyed, weighed, handed, decided }: AcceptParts): number {
  return (decided ? 8 : 0) + (keyed ? 4 : 0) + (weighed ? 2 : 0) + (handed ? 1 : 0);
}

function acceptText(parts: AcceptParts): string {
  const { keyed, weighed, handed, decided } = parts;
  const isJudged = keyed || weighed;
  return `with i as materialized (
     select i.*, i.skips_consent is not true and ${IS_OPTED_OUT} as is_opted_out
       from json_to_recordset($2::json) as i (
         ord int, account_id uuid, id uuid, status text, mode text, from_number text, to_number text,
         body text, encoding text, segments int, skips_consent bool, simulated bool, auto_reply bool,
         customer_id uuid, pool_id uuid, batch_id uuid, batch_index int, scheduled_message_id uuid,
         schedule_id uuid, run_id uuid, verification_id uuid, from_service bool, expires_at timestamptz, attempts int, next_attempt_at timestamptz, receipt_due_at timestamptz,
         failure_code text, carrier_code text, carrier text, created_at timestamptz,
         sent_at timestamptz, failed_at timestamptz, event_id uuid, event_type text, event_data json
         ${weighed ? ", price_micros bigint, is_billable bool, quota int" : ""}
         ${keyed ? ", key_hash text, fingerprint text, response_status int, response text" : ""}
         ${handed ? ", hands_over bool" : ""})
       ${ITEM_CONSENT}
   ), a as materialized (
     select account_id, event_seq ${weighed ? `, ${countedSoFar("month", "day")}` : ""}
       from account_counters ${isJudged ? `, ${TIMES}` : ""}
      where shard = $1 and account_id = any($3::uuid[])
   )${isJudged ? `, ${judging(parts)}` : ""}, ok as materialized (
     ${
       isJudged
         ? "select i.*, f.billing, f.cost_micros from final f join i on i.ord = f.ord where f.verdict = 'accepted'"
         : "select i.*, 'none' as billing, 0 as cost_micros from i where not is_opted_out"
     }
   ), inserted as (
     insert into messages (shard, account_id, id, direction, status, mode, from_number, to_number, body,
       encoding, segments, price_micros, billing, simulated, auto_reply, customer_id, pool_id, batch_id,
       batch_index, scheduled_message_id, schedule_id, run_id, verification_id, from_service, expires_at, attempts, next_attempt_at,
       receipt_due_at, failure_code, carrier_code, carrier, created_at, sent_at, failed_at)
     select $1, account_id, id, 'outbound', status, mode, from_number, to_number, body,
       encoding, segments, cost_micros, billing, simulated, coalesce(auto_reply, false), customer_id, pool_id,
       batch_id, batch_index, scheduled_message_id, schedule_id, run_id, verification_id, coalesce(from_service, false), expires_at, attempts,
       next_attempt_at, receipt_due_at, failure_code, carrier_code, carrier, created_at, sent_at, failed_at
       from ok
   )${handed ? `, ${HANDING_OVER}` : ""}${decided ? `, ${countingHandOvers("ok", "created_at")}` : ""}, event_source as (
     select account_id, ord as event_ord, event_id, event_type, customer_id as event_customer_id,
            event_data, created_at as event_at
       from ok
   ), ${eventCtes("event_source", "a")}, ${weighed ? COUNTING_ALL : COUNTING_EVENTS}
   select count(*) filter (where verdict = 'accepted')::int as accepted,
          json_agg(json_build_object('ord', ord, 'verdict', verdict, 'costMicros', cost_micros, 'billing', billing))
            filter (where verdict <> 'accepted' or billing <> 'none') as others,
          ${WAKE_WAITING}
     from ${isJudged ? "final" : FREE_OF_ALL_BUT_CONSENT}`;
}

const TIMES =
  "(select $4::timestamptz as now, $5::date as month, $6::date as day, $7::int as free) as at";

const FREE_OF_ALL_BUT_CONSENT = `(
       select ord, case when is_opted_out then 'recipient_opted_out' else 'accepted' end as verdict,
              0 as cost_micros, 'none' as billing
         from i) as final`;

/** Items in their order: what each is refused for, or costs, given those before it. */
function judging({ keyed, weighed }: AcceptParts): string {
  return `known as (
     select i.ord, i.account_id, i.mode, i.is_opted_out,
            ${weighed ? "i.price_micros, i.quota, coalesce(i.is_billable, false)" : "0 as price_micros, null::int as quota, false"} as is_billable,
            ${weighed ? "a.available, a.free_taken, a.quota_taken, a.room" : NOTHING_COUNTED},
            ${
              keyed
                ? `i.key_hash, k.key_hash is not null
              or (i.key_hash is not null and row_number() over
                   (partition by i.account_id, i.mode, i.key_hash order by i.ord) > 1)`
                : "null as key_hash, false"
            } as is_duplicate
       from i join a on a.account_id = i.account_id
       ${
         keyed
           ? `left join idempotency_keys k
         on k.shard = $1 and k.account_id = i.account_id and k.mode = i.mode
        and k.key_hash = decode(i.key_hash, 'hex') and k.expires_at > $4::timestamptz`
           : ""
       }
   ), ${weighed ? weighing("$7::int") : WEIGHING_NOTHING},
   judged as materialized (
     select ord, account_id, mode, key_hash,
            case when is_duplicate then 'duplicate'
                 when is_opted_out then 'recipient_opted_out'
                 ${MONEY_VERDICTS}
                 else 'accepted' end as verdict,
            ${BILLING_OF_ITEM} as billing,
            ${COST_OF_ITEM} as cost_micros
       from run
   ), ${keyed ? CLAIMING : "final as (select ord, billing, cost_micros, verdict from judged)"}`;
}

const CLAIMING = `claims as (
     insert into idempotency_keys as k
       (shard, account_id, mode, key_hash, fingerprint, object_id, status, response, created_at, expires_at)
     select $1, i.account_id, i.mode, decode(i.key_hash, 'hex'), decode(i.fingerprint, 'hex'), i.id,
            i.response_status, convert_to(i.response, 'UTF8'), $4::timestamptz, $4::timestamptz + interval '24 hours'
       from judged j join i on i.ord = j.ord
      where j.verdict = 'accepted' and j.key_hash is not null
     on conflict (shard, account_id, mode, key_hash) do update
       set fingerprint = excluded.fingerprint, object_id = excluded.object_id, status = excluded.status,
           response = excluded.response, encrypted = false, created_at = excluded.created_at,
           expires_at = excluded.expires_at
     where k.expires_at <= excluded.created_at
     returning account_id, mode, key_hash
   ), final as materialized (
     select j.ord, j.billing, j.cost_micros,
            case when j.verdict = 'accepted' and j.key_hash is not null and not exists (
                   select 1 from claims c
                    where c.account_id = j.account_id and c.mode = j.mode and c.key_hash = decode(j.key_hash, 'hex'))
                 then 'duplicate' else j.verdict end as verdict
       from judged j
   )`;

const HANDING_OVER = `handed as (
     insert into submit_attempts (shard, account_id, message_id, attempt, carrier, outcome, handed_off_at)
     select $1, account_id, id, attempts, carrier, 'open', created_at from ok where hands_over
   )`;

const COUNTING_EVENTS = `counters as (
     update account_counters x set event_seq = x.event_seq + e.events
       from event_counts e where x.shard = $1 and x.account_id = e.account_id
   )`;

const COUNTING_ALL = `totals as (
     select account_id, ${HELD_BY_ITEMS}
       from ok group by account_id
   ), counters as (
     update account_counters x
        set ${holdSets("$5::date", "$6::date")},
            event_seq = x.event_seq + coalesce(e.events, 0)
       from totals t join a on a.account_id = t.account_id
       left join event_counts e on e.account_id = t.account_id
      where x.shard = $1 and x.account_id = t.account_id
   )`;

const BOTH = [false, true];
const VARIANTS = BOTH.flatMap((keyed) =>
  BOTH.flatMap((weighed) =>
    BOTH.flatMap((handed) =>
      BOTH.map((decided): AcceptParts => ({ keyed, weighed, handed, decided })),
    ),
  ),
)
  .sort((a, b) => variantOf(a) - variantOf(b))
  .map((parts) => statement(`accept_messages_${variantOf(parts)}`, acceptText(parts)));
