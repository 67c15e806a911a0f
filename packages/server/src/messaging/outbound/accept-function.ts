import { formatTimestamp, MESSAGE_MOVES } from "@longwave/contract";
import {
  BILLING_OF_ITEM,
  COST_OF_ITEM,
  countedSoFar,
  HELD_BY_ITEMS,
  holdSets,
  MONEY_VERDICTS,
  weighing,
} from "../billing/index.ts";
import { IS_OPTED_OUT } from "../consent/index.ts";
import { word } from "../db/guards.ts";
import { type Column, columnsOf, SHARD, sqlFunction } from "../db/statement.ts";
import { addSent, countHandOvers } from "../deliverability/index.ts";
import {
  insertDueAttempts,
  insertDueReceipts,
  LOCK_AND_NUMBER,
  tellOf,
  unnumber,
} from "./function-parts.ts";
import { receiptEventOf } from "./message.ts";
import { ITEM_CONSENT } from "./sql.ts";
import type { Composed } from "./stages.ts";

const { carrier_accepted } = MESSAGE_MOVES;

/** A text on its way to the database, with what is decided for the group. */
export interface Item {
  readonly text: Composed;
  readonly eventId: string | null;
}

const { plain, text, lines } = columnsOf<Item>();

const orNull = (isSo: boolean): true | null => (isSo ? true : null);
const moment = (ms: number | null): string | null =>
  ms === null ? null : `"${formatTimestamp(ms)}"`;

/** What the function that accepts messages is given of each, a column at a time. */
// biome-ignore format: read as a table
export const ACCEPT_COLUMNS: readonly Column<Item>[] = [
  plain("account_ids",       "uuid",        ({ text }) => text.row.account_id),
  plain("ids",               "uuid",        ({ text }) => text.row.id),
  plain("statuses",          "text",        ({ text }) => text.row.status),
  plain("modes",             "text",        ({ text }) => text.row.mode),
  text ("senders",                          ({ text }) => text.row.from_number),
  text ("recipients",                       ({ text }) => text.row.to_number),
  text ("bodies",                           ({ text }) => text.row.body),
  plain("encodings",         "text",        ({ text }) => text.row.encoding),
  plain("segment_counts",    "integer",     ({ text }) => text.row.segments),
  plain("moments",           "timestamptz", ({ text }) => moment(text.row.created_at)),
  plain("simulations",       "boolean",     ({ text }) => text.row.simulated),
  plain("attempt_counts",    "integer",     ({ text }) => text.row.attempts),
  plain("next_attempts",     "timestamptz", ({ text }) => moment(text.row.next_attempt_at)),
  plain("auto_replies",      "boolean",     ({ text }) => orNull(text.row.auto_reply)),
  plain("customer_ids",      "uuid",        ({ text }) => text.row.customer_id),
  plain("pool_ids",          "uuid",        ({ text }) => text.row.pool_id),
  plain("batch_ids",         "uuid",        ({ text }) => text.row.batch_id),
  plain("batch_indexes",     "integer",     ({ text }) => text.row.batch_index),
  plain("scheduled_ids",     "uuid",        ({ text }) => text.row.scheduled_message_id),
  plain("schedule_ids",      "uuid",        ({ text }) => text.row.schedule_id),
  plain("run_ids",           "uuid",        ({ text }) => text.row.run_id),
  plain("verification_ids",  "uuid",        ({ text }) => text.row.verification_id),
  plain("service_texts",     "boolean",     ({ text }) => orNull(text.row.from_service)),
  plain("expiries",          "timestamptz", ({ text }) => moment(text.row.expires_at)),
  plain("quiet_times",       "integer",     ({ text }) => text.row.quiet_hours),
  plain("failure_codes",     "text",        ({ text }) => text.row.failure_code),
  text ("carrier_codes",                    ({ text }) => text.row.carrier_code),
  text ("carriers",                         ({ text }) => text.row.carrier),
  plain("hand_overs",        "boolean",     ({ text }) => orNull(text.carrier !== null)),
  plain("consent_skips",     "boolean",     ({ text }) => orNull(text.skipsConsent)),
  // What counts against balance, allowance and quota.
  plain("billables",         "boolean",     ({ text }) => orNull(text.isBillable)),
  plain("prices",            "bigint",      ({ text }) => (text.isBillable ? text.row.price_micros : null)),
  plain("quotas",            "integer",     ({ text }) => text.quota),
  // The claim of an Idempotency-Key, its hashes in hexadecimal.
  plain("key_hashes",        "text",        ({ text }) => text.claim?.keyHash.toString("hex") ?? null),
  plain("fingerprints",      "text",        ({ text }) => text.claim?.fingerprint.toString("hex") ?? null),
  plain("response_statuses", "integer",     ({ text }) => text.claim?.answer?.status ?? null),
  text ("responses",                        ({ text }) => text.claim?.answer?.body ?? null),
  // The receipt that the simulated network brings later, and what is told of it then.
  plain("receipt_times",     "timestamptz", ({ text }) => moment(text.receiptDueAt)),
  lines("receipt_events",                   ({ text }) => (text.receiptDueAt === null ? null : receiptEventOf(text.row))),
  plain("event_ids",         "uuid",        ({ eventId }) => eventId),
  plain("event_types",       "text",        ({ text }) => text.event?.type ?? null),
  lines("event_data",                       ({ text }) => (text.event ? JSON.stringify(text.event.data) : null)),
];

/** What money, quota and keys say of the items, in their order: each given those before it. */
const JUDGING = `with i as (
      select i as ord, account_ids[i] as account_id, modes[i] as mode, coalesce(i = any(refused), false) as is_opted_out,
             coalesce(prices[i], 0) as price_micros, quotas[i] as quota,
             coalesce(billables[i], false) as is_billable, key_hashes[i] as key_hash
        from generate_series(1, items) as i
    ), a as (
      select account_id, ${countedSoFar("month", "day")}
        from account_counters where shard = $1 and account_id = any(accounts)
    ), known as (
      select i.*, a.available, a.free_taken, a.quota_taken, a.room,
             i.key_hash is not null and (
               (select true from idempotency_keys k
                 where k.shard = $1 and k.account_id = i.account_id and k.mode = i.mode
                   and k.key_hash = decode(i.key_hash, 'hex') and k.expires_at > at limit 1) is true
               or row_number() over (partition by i.account_id, i.mode, i.key_hash order by i.ord) > 1)
             as is_duplicate
        from i join a on a.account_id = i.account_id
    ), ${weighing("texts_free")}, judged as (
      select ord, ${BILLING_OF_ITEM} as billing, ${COST_OF_ITEM} as cost_micros,
             case when is_duplicate then 'duplicate'
                  when is_opted_out then 'recipient_opted_out'
                  ${MONEY_VERDICTS}
                  else 'accepted' end as verdict
        from run
    )
    select array_agg(verdict order by ord), array_agg(billing order by ord), array_agg(cost_micros order by ord)
      into verdicts, billings, costs from judged;`;

/** Keys are claimed with what they stand for. One that another process has claimed meanwhile refuses its item. */
const CLAIMING = `with claimed as (
      insert into idempotency_keys as k
        (shard, account_id, mode, key_hash, fingerprint, object_id, status, response, created_at, expires_at)
      select $1, account_ids[i], modes[i], decode(key_hashes[i], 'hex'), decode(fingerprints[i], 'hex'), ids[i],
             response_statuses[i], convert_to(responses[i], 'UTF8'), at, at + interval '24 hours'
        from generate_series(1, items) as i
       where verdicts[i] = 'accepted' and key_hashes[i] is not null
      on conflict (shard, account_id, mode, key_hash) do update
        set fingerprint = excluded.fingerprint, object_id = excluded.object_id, status = excluded.status,
            response = excluded.response, encrypted = false, created_at = excluded.created_at,
            expires_at = excluded.expires_at
      where k.expires_at <= excluded.created_at
      returning k.object_id
    )
    select array_agg(case when verdicts[i] = 'accepted' and key_hashes[i] is not null
                           and ids[i] <> all (array(select object_id from claimed))
                          then 'duplicate' else verdicts[i] end order by i)
      into verdicts from generate_series(1, items) as i;`;

const HOLDING = `with a as (
      select account_id, ${countedSoFar("month", "day")}
        from account_counters where shard = $1 and account_id = any(accounts)
    ), t as (
      select account_id, ${HELD_BY_ITEMS}
        from (select account_ids[i] as account_id, billings[i] as billing, costs[i] as cost_micros,
                     quotas[i] as quota from unnest(accepted) as i) as held
       group by account_id
    )
    update account_counters x
       set ${holdSets("month", "day")}
      from t join a on a.account_id = t.account_id
     where x.shard = $1 and x.account_id = any(accounts) and x.account_id = t.account_id;`;

/**
 * Accepts a group of messages of one shard. For each item the first thing that refuses it is its
 * verdict; accepted ones are written with their event, their claim, their hand-over and what they
 * cost. Answers nothing where every item is accepted and free of charge, which most groups are.
 */
export const acceptMessages = sqlFunction({
  name: "accept_messages_v1",
  parameters: [
    SHARD,
    { name: "at", type: "timestamptz" },
    { name: "month", type: "date" },
    { name: "day", type: "date" },
    { name: "texts_free", type: "integer" },
    { name: "accounts", type: "uuid[]" },
    // One, two, three, … as many as there are items.
    { name: "numbers", type: "integer[]" },
    { name: "receipts_at", type: "timestamptz" },
    ...ACCEPT_COLUMNS,
  ],
  answers: [
    { name: "verdicts", type: "text[]" },
    { name: "billings", type: "text[]" },
    { name: "costs", type: "bigint[]" },
  ],
  tells: true,
  body: `
declare
  items integer := cardinality(ids);
  is_keyed boolean := cardinality(key_hashes) > 0;
  is_weighed boolean := cardinality(billables) > 0 or cardinality(quotas) > 0;
  has_opt_outs boolean;
  refused integer[];
  accepted integer[] := numbers;
  -- What most groups are: texts in the sandbox, from one number, that are sent.
  are_alike boolean := cardinality(accounts) = 1 and ${word(carrier_accepted.to)} = all(statuses) and cardinality(carriers) = 0
    and modes[1] = all(modes) and senders[1] = all(senders) and cardinality(service_texts) = 0;
  told text[];
  told_count integer;
  last_seq bigint;
begin
  ${LOCK_AND_NUMBER}

  -- Whether any of them has opted out of anything at all; then, whose opt-out holds.
  if cardinality(accounts) = 1 then
    has_opt_outs := exists (select from consent_states c
      where c.shard = $1 and c.account_id = accounts[1] and c.phone_number = any(recipients) and c.status = 'opted_out');
  else
    has_opt_outs := exists (select from generate_series(1, items) as i where (
      select true from consent_states c
       where c.shard = $1 and c.account_id = account_ids[i] and c.phone_number = recipients[i]
         and c.status = 'opted_out' limit 1));
  end if;
  if has_opt_outs then
    select array_agg(i.ord) into refused
      from (select ord, account_ids[ord] as account_id, recipients[ord] as to_number,
                   customer_ids[ord] as customer_id from generate_series(1, items) as ord
             where consent_skips[ord] is not true) as i
      ${ITEM_CONSENT}
     where ${IS_OPTED_OUT};
  end if;

  if is_keyed or is_weighed then
    ${JUDGING}
    if is_keyed then
      ${CLAIMING}
    end if;
  elsif refused is not null then
    verdicts := array(select case when i = any(refused) then 'recipient_opted_out' else 'accepted' end
                        from generate_series(1, items) as i);
  end if;
  if verdicts is not null then
    accepted := array(select i from generate_series(1, items) as i where verdicts[i] = 'accepted');
    ${unnumber("accepted")}
  end if;

  insert into messages (shard, account_id, id, direction, status, mode, from_number, to_number, body, encoding,
    segments, price_micros, billing, simulated, auto_reply, customer_id, pool_id, batch_id, batch_index,
    scheduled_message_id, schedule_id, run_id, verification_id, from_service, expires_at, quiet_hours, attempts, is_out, handed_at, next_attempt_at,
    failure_code, carrier_code, carrier, created_at, sent_at, failed_at)
  select $1, account_ids[i], ids[i], 'outbound', statuses[i], modes[i], senders[i], recipients[i], bodies[i],
         encodings[i], segment_counts[i], coalesce(costs[i], 0), coalesce(billings[i], 'none'), simulations[i],
         coalesce(auto_replies[i], false), customer_ids[i], pool_ids[i], batch_ids[i], batch_indexes[i],
         scheduled_ids[i], schedule_ids[i], run_ids[i], verification_ids[i], coalesce(service_texts[i], false), expiries[i], quiet_times[i], attempt_counts[i],
         coalesce(hand_overs[i], false), case when hand_overs[i] then moments[i] end, next_attempts[i],
         failure_codes[i], carrier_codes[i], carriers[i], moments[i],
         case when statuses[i] = 'sent' then moments[i] end, case when statuses[i] = 'failed' then moments[i] end
    from unnest(accepted) as i;
  insert into message_statuses (shard, account_id, status, id, simulated)
  select $1, account_ids[i], statuses[i], ids[i], simulations[i] from unnest(accepted) as i where service_texts[i] is not true;

  if are_alike then
    ${addSent("cardinality(accepted)", "at")};
  end if;
  if not are_alike or not found then
    ${countHandOvers(
      `(select account_ids[i] as account_id, modes[i] as mode, senders[i] as from_number, carriers[i] as carrier,
            service_texts[i] as from_service, statuses[i] as status, failure_codes[i] as failure_code
       from unnest(accepted) as i where statuses[i] <> 'queued') as decided`,
      "at",
    )};
  end if;

  if cardinality(next_attempts) > 0 then
    ${insertDueAttempts("unnest(accepted) as i")}
  end if;
  ${insertDueReceipts("accepted")}
  if is_weighed then
    ${HOLDING}
  end if;
  if cardinality(event_ids) > 0 then
    told := string_to_array(event_data, E'\\n');
    ${tellOf("accepted", "event_types", "event_types[i]")}
  end if;
end`,
});
