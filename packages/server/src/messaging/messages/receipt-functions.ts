import { MESSAGE_MOVES, type Mode } from "@longwave/contract";
import { comesFrom, leaves, sqlLiteral } from "../../core/db/driver/guards.ts";
import { notByIndex } from "../../core/db/driver/sql-builder.ts";
import { columnsOf, SHARD, sqlFunction } from "../../core/db/driver/statement.ts";
import { countReceipts } from "../deliverability/index.ts";
import { NO_LATENCY } from "./message-row.ts";
import {
  appendEventsSql,
  LOCK_AND_NUMBER_EVENTS,
  moveStatuses,
  returnEventNumbers,
} from "./sql-parts.ts";

const { receipt_delivered, receipt_failed } = MESSAGE_MOVES;
const SENT = sqlLiteral("sent");
const DELIVERED = sqlLiteral(receipt_delivered.to);
const FAILED = sqlLiteral(receipt_failed.to);

/** One final receipt, as a parameter row of `apply_receipts_v1`. */
export interface ReceiptItem {
  readonly accountId: string;
  readonly id: string;
  readonly mode: Mode;
  readonly status: string;
  readonly failureCode: string | null;
  readonly carrierCode: string | null;
  readonly customerId: string | null;
  readonly event: { readonly id: string; readonly type: string; readonly data: object } | null;
}

const { plain, text, lines } = columnsOf<ReceiptItem>();

export const RECEIPT_COLUMNS = [
  plain("account_ids", "uuid", (item) => item.accountId),
  plain("ids", "uuid", (item) => item.id),
  plain("statuses", "text", (item) => item.status),
  plain("failure_codes", "text", (item) => item.failureCode),
  text("carrier_codes", (item) => item.carrierCode),
  plain("customer_ids", "uuid", (item) => item.customerId),
  plain("event_ids", "uuid", (item) => item.event?.id ?? null),
  plain("event_modes", "text", (item) => item.mode),
  plain("event_types", "text", (item) => item.event?.type ?? null),
  lines("event_data", (item) => (item.event ? JSON.stringify(item.event.data) : null)),
];

/**
 * Applies final receipts of a group of messages; returns the numbers of the moved items.
 *
 * Only messages in `sent` move. A late, repeated or contradictory receipt changes nothing and emits nothing.
 */
export const applyReceipts = sqlFunction({
  name: "apply_receipts_v1",
  parameters: [
    SHARD,
    { name: "at", type: "timestamptz" },
    { name: "accounts", type: "uuid[]" },
    { name: "first_id", type: "uuid" },
    { name: "last_id", type: "uuid" },
    ...RECEIPT_COLUMNS,
  ],
  answers: [{ name: "moved", type: "integer[]" }],
  moves: [receipt_delivered, receipt_failed],
  emitsEvents: true,
  body: `
declare
  event_json text[] := string_to_array(event_data, E'\\n');
  event_count integer;
  last_seq bigint;
begin
  ${LOCK_AND_NUMBER_EVENTS}
  with changed as (
    update messages m
       set status = statuses[u.i],
           delivered_at = case when statuses[u.i] = ${DELIVERED} then at end,
           failed_at = case when statuses[u.i] = ${FAILED} then at end,
           failure_code = failure_codes[u.i],
           carrier_code = coalesce(carrier_codes[u.i], m.carrier_code)
      from unnest(ids) with ordinality as u (id, i)
     where m.shard = $1 and m.id = any(ids) and m.id >= first_id and m.id <= last_id and m.id = u.id
       and ${notByIndex(comesFrom("m.status", receipt_delivered, receipt_failed))}
    returning u.i, m.account_id, m.mode, m.sent_at, m.from_number, m.carrier, m.from_service, m.status
  ), counted as (
    ${countReceipts("changed")}
  )
  select array_agg(i order by i) into moved from changed;
  ${returnEventNumbers("moved")}
  if moved is null then return; end if;
  ${moveStatuses("sent", "delivered")}
  ${moveStatuses("sent", "failed")}
  ${appendEventsSql("moved", "event_types", "event_types[i]")}
end`,
});

/**
 * Applies due simulated receipts that all say `delivered`: deletes the rows, moves the messages, appends the
 * events. `event_ids` has one id per message.
 *
 * A single account is waited for. Among several, accounts that another transaction has locked are skipped and
 * returned in `locked_accounts`: waiting for one would keep the others locked.
 */
export const applySimulatedReceipts = sqlFunction({
  name: "apply_simulated_receipts_v1",
  parameters: [
    SHARD,
    { name: "at", type: "timestamptz" },
    { name: "accounts", type: "uuid[]" },
    { name: "due_ids", type: "uuid[]" },
    { name: "event_ids", type: "uuid[]" },
  ],
  answers: [
    { name: "message_count", type: "integer" },
    { name: "locked_accounts", type: "uuid[]" },
  ],
  moves: [receipt_delivered],
  emitsEvents: true,
  body: `
declare
  free uuid[] := accounts;
  ids uuid[];
  lines text[];
  first_id uuid;
  last_id uuid;
  moved_ids uuid[];
  account_ids uuid[];
  customer_ids uuid[];
  event_modes text[];
  event_json text[];
  event_count integer;
  last_seq bigint;
begin
  if cardinality(accounts) = 1 then
    update account_counters c set event_seq = c.event_seq + cardinality(event_ids)
     where c.shard = $1 and c.account_id = accounts[1] returning c.event_seq into last_seq;
  else
    free := array(select c.account_id from account_counters c
      where c.shard = $1 and c.account_id = any(accounts) order by c.account_id for update skip locked);
    locked_accounts := array(select account_id from unnest(accounts) as account_id where account_id <> all(free));
  end if;
  with due as (
    delete from due_receipts d
     where d.shard = $1 and d.due_at <= at and d.id = any(due_ids) and d.account_id = any(free)
    returning d.message_ids, d.events
  )
  select array_agg(u.id), array_agg(u.line) into ids, lines
    from due, unnest(due.message_ids, string_to_array(due.events, E'\\n')) as u (id, line);
  message_count := coalesce(cardinality(ids), 0);
  if message_count = 0 then
    ${returnEventNumbers("ids")}
    return;
  end if;
  select sorted[1], sorted[message_count] into first_id, last_id
    from (select array_agg(id order by id) as sorted from unnest(ids) as id) as one;
  with changed as (
    update messages m set status = ${DELIVERED}, delivered_at = at
      from unnest(ids, lines) as u (id, line)
     where m.shard = $1 and m.id = any(ids) and m.id >= first_id and m.id <= last_id and m.id = u.id
       and ${notByIndex(leaves("m.status", "sent", receipt_delivered))}
    returning m.id, m.account_id, m.customer_id, u.line, m.mode, m.sent_at, m.from_number, m.carrier,
              m.from_service, m.status
  ), counted as (
    ${countReceipts("changed")}
  )
  select array_agg(id order by id), array_agg(account_id order by id), array_agg(customer_id order by id), array_agg(mode order by id),
         array_agg(replace(line, '${NO_LATENCY}', '${NO_LATENCY.slice(0, -1)}' || greatest(0, floor(extract(epoch from at - sent_at) * 1000)::bigint)) order by id)
    into moved_ids, account_ids, customer_ids, event_modes, event_json from changed;
  ${returnEventNumbers("moved_ids")}
  if moved_ids is null then return; end if;
  update message_statuses s set status = ${DELIVERED}
   where s.shard = $1 and s.account_id = any(free) and s.mode in ('test', 'live') and s.status = ${SENT} and s.id = any(moved_ids)
     and s.id >= first_id and s.id <= last_id;
  event_count := append_events_v1($1, at, free, last_seq, account_ids, event_ids[1:cardinality(moved_ids)],
                  array_fill('${receipt_delivered.emits}'::text, array[cardinality(moved_ids)]), event_modes, customer_ids, event_json);
end`,
});
