import { formatTimestamp, MESSAGE_MOVES } from "@longwave/contract";
import {
  BILLING_OF_ITEM,
  COST_OF_ITEM,
  FUNDS_REFUSALS,
  pricing,
  RESERVED_BY_ITEMS,
  remainingAndUsed,
  reserveSets,
} from "../../account/billing/index.ts";
import { sqlLiteral } from "../../core/db/driver/guards.ts";
import { type Column, columnsOf, SHARD, sqlFunction } from "../../core/db/driver/statement.ts";
import { IS_OPTED_OUT } from "../../people/consent/index.ts";
import { addSent, countSubmits } from "../deliverability/index.ts";
import { receiptEventOf } from "./message-row.ts";
import { ITEM_CONSENT } from "./sql.ts";
import {
  appendEventsSql,
  insertDueAttempts,
  insertDueReceipts,
  LOCK_AND_NUMBER_EVENTS,
  METADATA_PAIR_HASH,
  returnEventNumbers,
} from "./sql-parts.ts";
import type { PreparedMessage } from "./stages.ts";

const { carrier_accepted } = MESSAGE_MOVES;

/** A prepared message, with the id of its event. */
export interface AcceptItem {
  readonly message: PreparedMessage;
  readonly eventId: string | null;
}

const { plain, text, lines } = columnsOf<AcceptItem>();

const trueOrNull = (isSo: boolean): true | null => (isSo ? true : null);
const metadataText = (metadata: object | null): string | null =>
  metadata === null ? null : JSON.stringify(metadata);
const timestampLiteral = (ms: number | null): string | null =>
  ms === null ? null : `"${formatTimestamp(ms)}"`;

/** Array parameters of `accept_messages_v1`, one per column of the group. */
// biome-ignore format: read as a table
export const ACCEPT_COLUMNS: readonly Column<AcceptItem>[] = [
  plain("account_ids",       "uuid",        ({ message }) => message.row.account_id),
  plain("ids",               "uuid",        ({ message }) => message.row.id),
  plain("statuses",          "text",        ({ message }) => message.row.status),
  plain("modes",             "text",        ({ message }) => message.row.mode),
  text ("senders",                          ({ message }) => message.row.from_number),
  text ("recipients",                       ({ message }) => message.row.to_number),
  text ("bodies",                           ({ message }) => message.row.body),
  plain("encodings",         "text",        ({ message }) => message.row.encoding),
  plain("segment_counts",    "integer",     ({ message }) => message.row.segments),
  plain("moments",           "timestamptz", ({ message }) => timestampLiteral(message.row.created_at)),
  plain("simulations",       "boolean",     ({ message }) => message.row.simulated),
  plain("attempt_counts",    "integer",     ({ message }) => message.row.attempts),
  plain("next_attempts",     "timestamptz", ({ message }) => timestampLiteral(message.row.next_attempt_at)),
  plain("auto_replies",      "boolean",     ({ message }) => trueOrNull(message.row.auto_reply)),
  plain("customer_ids",      "uuid",        ({ message }) => message.row.customer_id),
  plain("pool_ids",          "uuid",        ({ message }) => message.row.pool_id),
  plain("batch_ids",         "uuid",        ({ message }) => message.row.batch_id),
  plain("batch_indexes",     "integer",     ({ message }) => message.row.batch_index),
  plain("scheduled_ids",     "uuid",        ({ message }) => message.row.scheduled_message_id),
  plain("schedule_ids",      "uuid",        ({ message }) => message.row.schedule_id),
  plain("run_ids",           "uuid",        ({ message }) => message.row.run_id),
  plain("verification_ids",  "uuid",        ({ message }) => message.row.verification_id),
  plain("service_flags",     "boolean",     ({ message }) => trueOrNull(message.row.from_service)),
  plain("expiries",          "timestamptz", ({ message }) => timestampLiteral(message.row.expires_at)),
  plain("quiet_times",       "integer",     ({ message }) => message.row.quiet_hours),
  text ("metadata_texts",                   ({ message }) => metadataText(message.row.metadata)),
  plain("failure_codes",     "text",        ({ message }) => message.row.failure_code),
  text ("carrier_codes",                    ({ message }) => message.row.carrier_code),
  text ("carriers",                         ({ message }) => message.row.carrier),
  plain("submit_flags",        "boolean",     ({ message }) => trueOrNull(message.carrier !== null)),
  plain("consent_skips",     "boolean",     ({ message }) => trueOrNull(message.skipsConsent)),
  // Counts against balance, allowance and quota.
  plain("billables",         "boolean",     ({ message }) => trueOrNull(message.isBillable)),
  plain("prices",            "bigint",      ({ message }) => (message.isBillable ? message.row.price_micros : null)),
  plain("quotas",            "integer",     ({ message }) => message.quota),
  // Claim of an Idempotency-Key, hashes in hexadecimal.
  plain("key_hashes",        "text",        ({ message }) => message.claim?.keyHash.toString("hex") ?? null),
  plain("fingerprints",      "text",        ({ message }) => message.claim?.fingerprint.toString("hex") ?? null),
  plain("response_statuses", "integer",     ({ message }) => message.claim?.answer?.status ?? null),
  text ("responses",                        ({ message }) => message.claim?.answer?.body ?? null),
  // Due time of the simulated receipt, and the event that it emits.
  plain("receipt_times",     "timestamptz", ({ message }) => timestampLiteral(message.receiptDueAt)),
  lines("receipt_events",                   ({ message }) => (message.receiptDueAt === null ? null : receiptEventOf(message.row))),
  plain("event_ids",         "uuid",        ({ eventId }) => eventId),
  plain("event_types",       "text",        ({ message }) => message.event?.type ?? null),
  lines("event_data",                       ({ message }) => (message.event ? JSON.stringify(message.event.data) : null)),
];

/**
 * Decides verdict, billing and cost of each item in order: earlier items of the group use up money and quota
 * first.
 */
const DECIDE_VERDICTS = `with i as (
      select i as ord, account_ids[i] as account_id, modes[i] as mode, coalesce(i = any(refused), false) as is_opted_out,
             coalesce(prices[i], 0) as price_micros, quotas[i] as quota,
             coalesce(billables[i], false) as is_billable, key_hashes[i] as key_hash
        from generate_series(1, items) as i
    ), a as (
      select account_id, ${remainingAndUsed("month", "day")}
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
    ), ${pricing("free_messages")}, verdict_rows as (
      select ord, ${BILLING_OF_ITEM} as billing, ${COST_OF_ITEM} as cost_micros,
             case when is_duplicate then 'duplicate'
                  when is_opted_out then 'recipient_opted_out'
                  ${FUNDS_REFUSALS}
                  else 'accepted' end as verdict
        from run
    )
    select array_agg(verdict order by ord), array_agg(billing order by ord), array_agg(cost_micros order by ord)
      into verdicts, billings, costs from verdict_rows;`;

/** Claims the Idempotency-Keys of accepted items. A key that another process claimed meanwhile refuses its item. */
const CLAIM_KEYS = `with claimed as (
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

const RESERVE_MONEY = `with a as (
      select account_id, ${remainingAndUsed("month", "day")}
        from account_counters where shard = $1 and account_id = any(accounts)
    ), t as (
      select account_id, ${RESERVED_BY_ITEMS}
        from (select account_ids[i] as account_id, billings[i] as billing, costs[i] as cost_micros,
                     quotas[i] as quota from unnest(accepted) as i) as reserved
       group by account_id
    )
    update account_counters x
       set ${reserveSets("month", "day")}
      from t join a on a.account_id = t.account_id
     where x.shard = $1 and x.account_id = any(accounts) and x.account_id = t.account_id;`;

/**
 * Accepts a group of messages of one shard.
 *
 * The first check that refuses an item gives its verdict. Accepted items are stored with event, claim, submit and
 * cost. Returns nulls when every item is accepted and free of charge, as in most groups.
 */
export const acceptMessages = sqlFunction({
  name: "accept_messages_v1",
  parameters: [
    SHARD,
    { name: "at", type: "timestamptz" },
    { name: "month", type: "date" },
    { name: "day", type: "date" },
    { name: "free_messages", type: "integer" },
    { name: "accounts", type: "uuid[]" },
    // 1, 2, 3, …: one number per item.
    { name: "numbers", type: "integer[]" },
    ...ACCEPT_COLUMNS,
  ],
  answers: [
    { name: "verdicts", type: "text[]" },
    { name: "billings", type: "text[]" },
    { name: "costs", type: "bigint[]" },
  ],
  emitsEvents: true,
  body: `
declare
  items integer := cardinality(ids);
  is_keyed boolean := cardinality(key_hashes) > 0;
  is_billed boolean := cardinality(billables) > 0 or cardinality(quotas) > 0;
  has_opt_outs boolean;
  refused integer[];
  accepted integer[] := numbers;
  -- Most groups are uniform: sandbox messages from one number, all sent.
  is_uniform boolean := cardinality(accounts) = 1 and ${sqlLiteral(carrier_accepted.to)} = all(statuses) and cardinality(carriers) = 0
    and modes[1] = all(modes) and senders[1] = all(senders) and cardinality(service_flags) = 0;
  event_json text[];
  event_count integer;
  last_seq bigint;
begin
  ${LOCK_AND_NUMBER_EVENTS}

  -- First whether any recipient has an opt-out at all, then which opt-outs apply.
  if cardinality(accounts) = 1 then
    has_opt_outs := exists (select from consent_states c
      where c.shard = $1 and c.account_id = accounts[1] and c.mode = any(modes)
        and c.phone_number = any(recipients) and c.status = 'opted_out');
  else
    has_opt_outs := exists (select from generate_series(1, items) as i where (
      select true from consent_states c
       where c.shard = $1 and c.account_id = account_ids[i] and c.mode = modes[i] and c.phone_number = recipients[i]
         and c.status = 'opted_out' limit 1));
  end if;
  if has_opt_outs then
    select array_agg(i.ord) into refused
      from (select ord, account_ids[ord] as account_id, modes[ord] as mode, recipients[ord] as to_number,
                   customer_ids[ord] as customer_id from generate_series(1, items) as ord
             where consent_skips[ord] is not true) as i
      ${ITEM_CONSENT}
     where ${IS_OPTED_OUT};
  end if;

  if is_keyed or is_billed then
    ${DECIDE_VERDICTS}
    if is_keyed then
      ${CLAIM_KEYS}
    end if;
  elsif refused is not null then
    verdicts := array(select case when i = any(refused) then 'recipient_opted_out' else 'accepted' end
                        from generate_series(1, items) as i);
  end if;
  if verdicts is not null then
    accepted := array(select i from generate_series(1, items) as i where verdicts[i] = 'accepted');
    ${returnEventNumbers("accepted")}
  end if;

  insert into messages (shard, account_id, id, direction, status, mode, from_number, to_number, body, encoding,
    segments, price_micros, billing, simulated, auto_reply, customer_id, pool_id, batch_id, batch_index,
    scheduled_message_id, schedule_id, run_id, verification_id, from_service, expires_at, quiet_hours, metadata, attempts, awaiting_carrier, submitted_at, next_attempt_at,
    failure_code, carrier_code, carrier, created_at, sent_at, failed_at)
  select $1, account_ids[i], ids[i], 'outbound', statuses[i], modes[i], senders[i], recipients[i], bodies[i],
         encodings[i], segment_counts[i], coalesce(costs[i], 0), coalesce(billings[i], 'none'), simulations[i],
         coalesce(auto_replies[i], false), customer_ids[i], pool_ids[i], batch_ids[i], batch_indexes[i],
         scheduled_ids[i], schedule_ids[i], run_ids[i], verification_ids[i], coalesce(service_flags[i], false), expiries[i], quiet_times[i], metadata_texts[i]::json, attempt_counts[i],
         coalesce(submit_flags[i], false), case when submit_flags[i] then moments[i] end, next_attempts[i],
         failure_codes[i], carrier_codes[i], carriers[i], moments[i],
         case when statuses[i] = 'sent' then moments[i] end, case when statuses[i] = 'failed' then moments[i] end
    from unnest(accepted) as i;
  insert into message_statuses (shard, account_id, mode, status, id, simulated)
  select $1, account_ids[i], modes[i], statuses[i], ids[i], simulations[i] from unnest(accepted) as i where service_flags[i] is not true;

  if cardinality(metadata_texts) > 0 then
    insert into message_metadata (shard, account_id, mode, pair_hash, id)
    select distinct $1, account_ids[i], modes[i], ${METADATA_PAIR_HASH}, ids[i]
      from unnest(accepted) as i cross join lateral json_each_text(metadata_texts[i]::json) as pair (key, value)
     where metadata_texts[i] is not null and service_flags[i] is not true;
  end if;

  if is_uniform then
    ${addSent("cardinality(accepted)", "at")};
  end if;
  if not is_uniform or not found then
    ${countSubmits(
      `(select account_ids[i] as account_id, modes[i] as mode, senders[i] as from_number, carriers[i] as carrier,
            service_flags[i] as from_service, statuses[i] as status, failure_codes[i] as failure_code
       from unnest(accepted) as i where statuses[i] <> 'queued') as decided`,
      "at",
    )};
  end if;

  if cardinality(next_attempts) > 0 then
    ${insertDueAttempts("unnest(accepted) as i")}
  end if;
  ${insertDueReceipts("accepted")}
  if is_billed then
    ${RESERVE_MONEY}
  end if;
  if cardinality(event_ids) > 0 then
    event_json := string_to_array(event_data, E'\\n');
    ${appendEventsSql("accepted", "event_types", "event_types[i]", "modes")}
  end if;
end`,
});
