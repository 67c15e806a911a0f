import { IS_OPTED_OUT } from "../consent/index.ts";
import { statement } from "../db/statement.ts";
import { eventCtes } from "../events/index.ts";
import { ITEM_CONSENT } from "./sql.ts";

/**
 * Accepts a group of messages of one shard. $2 the items, $3 now, $4 the month, $5 the day, $6 the
 * monthly free texts, $7 the accounts. For each item the first thing that refuses it is its
 * verdict; accepted ones are written with their event, their claim, their hand-over and what they
 * cost. Only items with money, a quota or a key to look at are counted in their order; the sandbox
 * has none, and is spared the sorting.
 *
 * The answer is one row: how many were accepted, and the items that were refused or cost something.
 */
export const acceptMessages = statement(
  "accept_messages",
  `with i as materialized (
     select x.* from json_to_recordset($2::json) as x (
       ord int, account_id uuid, id uuid, status text, mode text, from_number text, to_number text,
       body text, encoding text, segments int, price_micros bigint, is_billable bool,
       quota int, skips_consent bool, simulated bool, auto_reply bool, customer_id uuid,
       pool_id uuid, batch_id uuid, batch_index int, scheduled_message_id uuid, verification_id uuid, attempts int,
       next_attempt_at timestamptz, receipt_due_at timestamptz, failure_code text, carrier_code text,
       carrier text, created_at timestamptz, sent_at timestamptz, failed_at timestamptz,
       event_id uuid, event_type text, event_data text,
       key_hash text, fingerprint text, response_status int, response text, hands_over bool)
   ), a as materialized (
     select account_id, balance_micros - reserved_micros as available, event_seq,
            case when allowance_month = $4::date then texts_used else 0 end as texts_used,
            case when quota_day = $5::date then quota_used else 0 end as quota_used
       from account_counters where shard = $1 and account_id = any($7::uuid[])
   ), checked as materialized (
     select i.ord, i.account_id, i.mode, i.key_hash, i.quota, i.price_micros,
            coalesce(i.is_billable, false) as is_billable,
            coalesce(i.is_billable, false) or i.quota is not null or i.key_hash is not null as is_weighed,
            i.skips_consent is not true and ${IS_OPTED_OUT} as is_opted_out
       from i ${ITEM_CONSENT}
   ), known as (
     select c.*, a.available, a.texts_used, a.quota_used,
            k.key_hash is not null
              or (c.key_hash is not null and row_number() over
                   (partition by c.account_id, c.mode, c.key_hash order by c.ord) > 1) as is_duplicate
       from checked c
       join a on a.account_id = c.account_id
       left join idempotency_keys k
         on k.shard = $1 and k.account_id = c.account_id and k.mode = c.mode
        and k.key_hash = decode(c.key_hash, 'hex') and k.expires_at > $3::timestamptz
      where c.is_weighed
   ), counted as (
     select k.*,
            count(*) filter (where quota is not null and not is_duplicate and not is_opted_out)
              over (partition by account_id order by ord) as live_n,
            count(*) filter (where is_billable and not is_duplicate and not is_opted_out)
              over (partition by account_id order by ord) as billable_n
       from known k
   ), priced as (
     select c.*,
            is_billable and billable_n <= $6::int - texts_used as is_free,
            quota is not null and live_n > quota - quota_used as is_over_quota
       from counted c
   ), run as (
     select p.*,
            sum(case when is_billable and not is_free and not is_duplicate and not is_opted_out
                      and not is_over_quota then price_micros else 0 end)
              over (partition by account_id order by ord) as due_micros
       from priced p
   ), judged as materialized (
     select ord, account_id, mode, key_hash,
            case when is_duplicate then 'duplicate'
                 when is_opted_out then 'recipient_opted_out'
                 when is_over_quota then 'quota_exceeded'
                 when is_billable and not is_free and due_micros > available then 'insufficient_credits'
                 else 'accepted' end as verdict,
            case when not is_billable then 'none' when is_free then 'allowance'
                 when price_micros = 0 then 'none' else 'reserved' end as billing,
            case when is_billable and not is_free then price_micros else 0 end as cost_micros
       from run
     union all
     select ord, account_id, mode, key_hash,
            case when is_opted_out then 'recipient_opted_out' else 'accepted' end, 'none', 0
       from checked where not is_weighed
   ), claims as (
     insert into idempotency_keys as k
       (shard, account_id, mode, key_hash, fingerprint, object_id, status, response, created_at, expires_at)
     select $1, i.account_id, i.mode, decode(i.key_hash, 'hex'), decode(i.fingerprint, 'hex'), i.id,
            i.response_status, convert_to(i.response, 'UTF8'), $3::timestamptz, $3::timestamptz + interval '24 hours'
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
   ), ok as materialized (
     select i.*, f.billing, f.cost_micros from final f join i on i.ord = f.ord where f.verdict = 'accepted'
   ), inserted as (
     insert into messages (shard, account_id, id, direction, status, mode, from_number, to_number, body,
       encoding, segments, price_micros, billing, simulated, auto_reply, customer_id, pool_id, batch_id,
       batch_index, scheduled_message_id, verification_id, attempts, next_attempt_at, receipt_due_at, failure_code,
       carrier_code, carrier, created_at, sent_at, failed_at)
     select $1, account_id, id, 'outbound', status, mode, from_number, to_number, body,
       encoding, segments, cost_micros, billing, simulated, coalesce(auto_reply, false), customer_id, pool_id,
       batch_id, batch_index, scheduled_message_id, verification_id, attempts, next_attempt_at, receipt_due_at,
       failure_code, carrier_code, carrier, created_at, sent_at, failed_at
       from ok
   ), handed as (
     insert into submit_attempts (shard, account_id, message_id, attempt, carrier, outcome, handed_off_at)
     select $1, account_id, id, attempts, carrier, 'open', created_at from ok where hands_over
   ), event_source as (
     select account_id, ord as event_ord, event_id, event_type, customer_id as event_customer_id,
            event_data, created_at as event_at
       from ok
   ), ${eventCtes("event_source", "a")},
   totals as (
     select account_id, sum(case when billing = 'reserved' then cost_micros else 0 end) as reserved,
            count(*) filter (where billing = 'allowance') as free_texts,
            count(*) filter (where quota is not null) as live_texts
       from ok group by account_id
   ), counters as (
     update account_counters x
        set reserved_micros = x.reserved_micros + t.reserved,
            texts_used = case when t.free_texts = 0 then x.texts_used else a.texts_used + t.free_texts end,
            allowance_month = case when t.free_texts = 0 then x.allowance_month else $4::date end,
            verifications_used = case when t.free_texts = 0 or x.allowance_month = $4::date
                                      then x.verifications_used else 0 end,
            quota_used = case when t.live_texts = 0 then x.quota_used else a.quota_used + t.live_texts end,
            quota_day = case when t.live_texts = 0 then x.quota_day else $5::date end,
            event_seq = x.event_seq + coalesce(e.events, 0)
       from totals t join a on a.account_id = t.account_id
       left join event_counts e on e.account_id = t.account_id
      where x.shard = $1 and x.account_id = t.account_id
   )
   select count(*) filter (where verdict = 'accepted')::int as accepted,
          json_agg(json_build_object('ord', ord, 'verdict', verdict, 'costMicros', cost_micros, 'billing', billing))
            filter (where verdict <> 'accepted' or billing <> 'none') as others
     from final`,
);
