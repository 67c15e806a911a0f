import {
  BILLING_MOVES,
  formatTimestamp,
  MESSAGE_MOVES,
  SUBMIT_ATTEMPT_MOVES,
} from "@longwave/contract";
import {
  billingAfterMove,
  debitSets,
  postMessages,
  settledByItems,
  settleSets,
  settlesMessage,
} from "../../account/billing/index.ts";
import { comesFrom, sqlLiteral } from "../../core/db/driver/guards.ts";
import { notByIndex } from "../../core/db/driver/sql-builder.ts";
import { columnsOf, SHARD, sqlFunction } from "../../core/db/driver/statement.ts";
import { countSent, countSubmits } from "../deliverability/index.ts";
import { type MessageRow, receiptEventOf } from "./message-row.ts";
import {
  appendEventsSql,
  insertDueAttempts,
  insertDueReceipts,
  LOCK_AND_NUMBER_EVENTS,
  moveStatuses,
  returnEventNumbers,
} from "./sql-parts.ts";
import type { Settlement } from "./stages.ts";

/** A settlement to store, with the message that results from it. */
export interface SettleItem {
  readonly settlement: Settlement;
  readonly after: MessageRow;
  /** Outcome of the submit attempt's row, if it gets one. */
  readonly outcome: string;
  readonly receiptDueAt: number | null;
  readonly event: { readonly id: string; readonly type: string; readonly data: object } | null;
  /** The answer to store with the claim of the waiting request. */
  readonly answer: { readonly status: number; readonly body: string } | null;
}

const { plain, text, lines } = columnsOf<SettleItem>();

const timestampLiteral = (ms: number | null): string | null =>
  ms === null ? null : `"${formatTimestamp(ms)}"`;

/** Columns that every settlement writes. */
// biome-ignore format: read as a table
export const SETTLED_COLUMNS = [
  plain("account_ids",    "uuid",        ({ after }) => after.account_id),
  plain("ids",            "uuid",        ({ after }) => after.id),
  plain("attempt_counts", "integer",     ({ after }) => after.attempts),
  text ("carriers",                      ({ after }) => after.carrier),
  plain("customer_ids",   "uuid",        ({ after }) => after.customer_id),
  plain("receipt_times",  "timestamptz", ({ receiptDueAt }) => timestampLiteral(receiptDueAt)),
  lines("receipt_events",                ({ after, receiptDueAt }) => (receiptDueAt === null ? null : receiptEventOf(after))),
  plain("event_ids",      "uuid",        ({ event }) => event?.id ?? null),
  plain("event_modes",    "text",        ({ after }) => after.mode),
  lines("event_data",                    ({ event }) => (event ? JSON.stringify(event.data) : null)),
];

/** Further columns, unless every outcome is accepted and no request waits. */
// biome-ignore format: read as a table
export const OUTCOME_COLUMNS = [
  plain("attempt_numbers",   "integer",     ({ settlement }) => settlement.attempt),
  plain("outcomes",          "text",        ({ outcome }) => outcome),
  plain("statuses",          "text",        ({ after }) => after.status),
  text ("carrier_codes",                    ({ after }) => after.carrier_code),
  plain("failure_codes",     "text",        ({ after }) => after.failure_code),
  plain("next_attempts",     "timestamptz", ({ after }) => timestampLiteral(after.next_attempt_at)),
  plain("event_types",       "text",        ({ event }) => event?.type ?? null),
  plain("key_modes",         "text",        ({ settlement }) => settlement.claim?.mode ?? null),
  plain("key_hashes",        "text",        ({ settlement }) => settlement.claim?.keyHash.toString("hex") ?? null),
  plain("response_statuses", "integer",     ({ answer }) => answer?.status ?? null),
  text ("responses",                        ({ answer }) => answer?.body ?? null),
];

/** Carrier reference of a message or one of its parts; `item` is the message's number, from 1. */
export interface PartReference {
  readonly item: number;
  readonly reference: string;
  readonly segment: number;
}

const part = columnsOf<PartReference>();

export const REFERENCE_COLUMNS = [
  part.plain("reference_items", "integer", ({ item }) => item),
  part.text("reference_names", ({ reference }) => reference),
  part.plain("reference_segments", "integer", ({ segment }) => segment),
];

const { carrier_accepted, carrier_deferred, given_up } = MESSAGE_MOVES;
const { accepted, deferred, refused } = SUBMIT_ATTEMPT_MOVES;
const MESSAGE_OUTCOMES = [carrier_accepted, carrier_deferred, given_up] as const;
const SENT = sqlLiteral(carrier_accepted.to);
const ACCEPTED = sqlLiteral(accepted.to);

const PARAMETERS = [
  SHARD,
  { name: "inbox_shard", type: "integer" },
  { name: "at", type: "timestamptz" },
  { name: "month", type: "date" },
  { name: "accounts", type: "uuid[]" },
  // Bounds of the group's ids, for partition pruning.
  { name: "first_id", type: "uuid" },
  { name: "last_id", type: "uuid" },
  ...REFERENCE_COLUMNS,
  ...SETTLED_COLUMNS,
];

const ANSWERS = [{ name: "moved", type: "integer[]" }];

/** Stores the carriers' references, and makes receipts due again that arrived before them. */
const STORE_REFERENCES = `if cardinality(reference_items) > 0 then
    insert into carrier_references (shard, carrier, reference, message_id, account_id, segment, created_at)
    select $1, carriers[r.item], r.reference, ids[r.item], account_ids[r.item], r.segment, at
      from unnest(reference_items, reference_names, reference_segments) as r (item, reference, segment)
     where r.item = any(moved)
    on conflict do nothing;
    update carrier_inbox b set due_at = at
     where b.shard = $2 and b.carrier = any(carriers) and b.reference = any(reference_names) and b.due_at > at;
  end if;`;

/**
 * Settles a group that the carriers accepted and that has no keys: the usual case.
 *
 * Only queued messages move; everything else follows from those. Returns the numbers of the moved items.
 */
export const settleAccepted = sqlFunction({
  name: "settle_accepted_v1",
  parameters: PARAMETERS,
  answers: ANSWERS,
  emitsEvents: true,
  moves: [carrier_accepted, BILLING_MOVES.settle],
  body: `
declare
  items integer := cardinality(ids);
  statuses text[] := array_fill(${SENT}::text, array[items]);
  prices bigint[];
  billings text[];
  event_json text[];
  event_count integer;
  last_seq bigint;
begin
  ${LOCK_AND_NUMBER_EVENTS}
  with changed as (
    update messages x
       set status = ${SENT},
           attempts = attempt_counts[u.i],
           awaiting_carrier = false,
           carrier = coalesce(carriers[u.i], x.carrier),
           carrier_code = null,
           next_attempt_at = null,
           sent_at = at,
           billing = ${billingAfterMove("x.billing", SENT, carrier_accepted)}
      from unnest(ids) with ordinality as u (id, i)
     where x.shard = $1 and x.id = any(ids) and x.id >= first_id and x.id <= last_id and x.id = u.id
       and ${notByIndex(comesFrom("x.status", carrier_accepted))}
    returning u.i, x.account_id, x.price_micros, x.billing, x.mode, x.from_number, x.carrier, x.from_service
  ), counted as (
    ${countSent("changed", "at")}
  )
  select array_agg(i order by i), array_agg(price_micros order by i), array_agg(billing order by i)
    into moved, prices, billings from changed;
  ${returnEventNumbers("moved")}
  if moved is null then return; end if;
  ${moveStatuses("queued", "sent")}
  if ${sqlLiteral(BILLING_MOVES.settle.to)} = any(billings) then
    ${postMessages(
      "(select account_ids[m.i] as account_id, ids[m.i] as id, m.* from unnest(moved, prices, billings) as m (i, price_micros, billing)) as taken",
      `billing = ${sqlLiteral(BILLING_MOVES.settle.to)}`,
      "at",
    )};
    update account_counters x
       set ${debitSets("month")}
      from (select account_ids[m.i] as account_id, sum(m.price_micros) as spent
              from unnest(moved, prices, billings) as m (i, price_micros, billing)
             where m.billing = ${sqlLiteral(BILLING_MOVES.settle.to)} group by 1) as t
     where x.shard = $1 and x.account_id = any(accounts) and x.account_id = t.account_id;
  end if;
  ${STORE_REFERENCES}
  ${insertDueReceipts("moved")}
  event_json := string_to_array(event_data, E'\\n');
  ${appendEventsSql("moved", `array_fill('${carrier_accepted.emits}'::text, array[items])`, `'${carrier_accepted.emits}'::text`)}
end`,
});

/** Moving messages in their previous state. Their accounts are locked, so no other transaction moves them. */
const BEFORE =
  "unnest(moved, prices, billings, moments, awaiting_flags, submitted_times, old_carriers, modes, senders, service_flags) as m (i, price_micros, billing, created_at, was_awaiting, submitted_at, carrier, mode, from_number, from_service)";

const SETTLED = `(select m.*, account_ids[m.i] as account_id, ids[m.i] as id, statuses[m.i] as status
            from ${BEFORE}) as settled`;

/**
 * Settles a group with any outcomes, with or without waiting requests.
 *
 * An answer about another attempt than the current one counts only if it is an acceptance. Any other answer could
 * submit a message again that a carrier may still deliver.
 */
export const settleMessages = sqlFunction({
  name: "settle_messages_v1",
  parameters: [...PARAMETERS, ...OUTCOME_COLUMNS],
  answers: ANSWERS,
  emitsEvents: true,
  moves: [...MESSAGE_OUTCOMES, accepted, deferred, refused, ...Object.values(BILLING_MOVES)],
  body: `
declare
  prices bigint[];
  billings text[];
  moments timestamptz[];
  awaiting_flags boolean[];
  submitted_times timestamptz[];
  old_carriers text[];
  modes text[];
  senders text[];
  service_flags boolean[];
  event_json text[];
  event_count integer;
  last_seq bigint;
begin
  ${LOCK_AND_NUMBER_EVENTS}
  select array_agg(b.i), array_agg(b.price_micros), array_agg(b.billing), array_agg(b.created_at),
         array_agg(b.awaiting_carrier), array_agg(b.submitted_at), array_agg(b.carrier), array_agg(b.mode),
         array_agg(b.from_number), array_agg(b.from_service)
    into moved, prices, billings, moments, awaiting_flags, submitted_times, old_carriers, modes, senders, service_flags
    from (select u.i, m.* from messages m join unnest(ids) with ordinality as u (id, i) on u.id = m.id
           where m.shard = $1 and m.id = any(ids) and m.id >= first_id and m.id <= last_id
             and ${notByIndex(comesFrom("m.status", ...MESSAGE_OUTCOMES))}
             and (outcomes[u.i] = ${ACCEPTED} or attempt_numbers[u.i] = m.attempts
                  or attempt_numbers[u.i] > m.attempts and not m.awaiting_carrier)
           order by u.i) as b;
  ${returnEventNumbers("moved")}
  if moved is null then return; end if;

  -- Failed submits are stored for the timeline. A message that did not leave counts as no attempt.
  insert into submit_attempts as s
    (shard, account_id, message_id, attempt, carrier, outcome, carrier_code, submitted_at, answered_at)
  select $1, account_ids[m.i], ids[m.i], attempt_numbers[m.i], m.carrier, outcomes[m.i], carrier_codes[m.i],
         m.submitted_at, at
    from ${BEFORE}
   where m.was_awaiting and outcomes[m.i] not in (${ACCEPTED}, 'not_sent')
  on conflict (shard, message_id, attempt) do update
    set outcome = excluded.outcome, carrier_code = excluded.carrier_code, answered_at = excluded.answered_at
  where ${comesFrom("s.outcome", deferred, refused)};
  update submit_attempts s set outcome = ${ACCEPTED}, answered_at = at
    from unnest(moved) as i
   where s.shard = $1 and s.message_id = any(ids) and s.message_id >= first_id and s.message_id <= last_id
     and s.message_id = ids[i] and s.attempt = attempt_numbers[i] and outcomes[i] = ${ACCEPTED}
     and ${notByIndex(comesFrom("s.outcome", accepted))};

  update messages x
     set status = statuses[m.i],
         attempts = attempt_counts[m.i],
         awaiting_carrier = x.awaiting_carrier and statuses[m.i] = 'queued' and outcomes[m.i] = 'unknown',
         carrier = coalesce(carriers[m.i], x.carrier),
         carrier_code = carrier_codes[m.i],
         failure_code = failure_codes[m.i],
         next_attempt_at = next_attempts[m.i],
         sent_at = case when statuses[m.i] = ${SENT} then at end,
         failed_at = case when statuses[m.i] = ${sqlLiteral(given_up.to)} then at end,
         price_micros = case when statuses[m.i] = ${sqlLiteral(given_up.to)} then 0 else x.price_micros end,
         billing = ${billingAfterMove("x.billing", "statuses[m.i]", ...MESSAGE_OUTCOMES)}
    from ${BEFORE}
   where x.shard = $1 and x.id = any(ids) and x.id >= first_id and x.id <= last_id and x.id = ids[m.i]
     and ${notByIndex(comesFrom("x.status", ...MESSAGE_OUTCOMES))};
  ${moveStatuses("queued", "sent")}
  ${moveStatuses("queued", "failed")}

  ${postMessages(SETTLED, settlesMessage(...MESSAGE_OUTCOMES), "at")};
  update account_counters x
     set ${settleSets("month")}
    from (select account_id, ${settledByItems("month", ...MESSAGE_OUTCOMES)} from ${SETTLED} group by account_id) as t
   where x.shard = $1 and x.account_id = any(accounts) and x.account_id = t.account_id;

  ${countSubmits(
    `(select account_ids[m.i] as account_id, m.mode, m.from_number, coalesce(carriers[m.i], m.carrier) as carrier,
             m.from_service, statuses[m.i] as status, failure_codes[m.i] as failure_code from ${BEFORE}) as decided`,
    "at",
  )};

  if cardinality(key_hashes) > 0 then
    update idempotency_keys k
       set status = response_statuses[i], response = convert_to(responses[i], 'UTF8')
      from unnest(moved) as i
     where responses[i] is not null and k.shard = $1 and k.account_id = any(accounts)
       and k.key_hash = any(array(select decode(key_hashes[n], 'hex') from unnest(moved) as n))
       and k.account_id = account_ids[i] and k.mode = key_modes[i] and k.key_hash = decode(key_hashes[i], 'hex');
    -- A permanent refusal is a failed request: it frees its key.
    delete from idempotency_keys k using unnest(moved) as i
     where statuses[i] = ${sqlLiteral(given_up.to)} and k.shard = $1 and k.account_id = any(accounts)
       and k.key_hash = any(array(select decode(key_hashes[n], 'hex') from unnest(moved) as n))
       and k.account_id = account_ids[i] and k.mode = key_modes[i] and k.key_hash = decode(key_hashes[i], 'hex');
  end if;
  ${STORE_REFERENCES}
  if cardinality(next_attempts) > 0 then
    ${insertDueAttempts("unnest(moved) as i")}
  end if;
  ${insertDueReceipts("moved")}
  event_json := string_to_array(event_data, E'\\n');
  ${appendEventsSql("moved", "event_types", "event_types[i]")}
end`,
});
