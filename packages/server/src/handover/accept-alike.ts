import { formatTimestamp, MESSAGE_MOVES } from "@longwave/contract";
import type { Base } from "../base.ts";
import type { Step } from "../db/database.ts";
import { word } from "../db/guards.ts";
import { type Column, columnsOf, SHARD, sqlFunction } from "../db/statement.ts";
import { addSent, countSent } from "../deliverability/index.ts";
import { insertEventsAlike } from "../events/index.ts";
import { receiptsAt } from "./due-times.ts";
import { receiptEventOf } from "./message.ts";
import type { Composed } from "./stages.ts";

const { carrier_accepted } = MESSAGE_MOVES;
const SENT = word(carrier_accepted.to);

/**
 * Texts that differ in hardly anything: of one account and one number, in the sandbox, where they are sent
 * and delivered, for nobody's key and at no price. Most groups are such, and so are batches. What they
 * have in common is said once, what none of them has is not said at all, and there is nothing to judge
 * but consent: for one text that saves a seventh of what `accept_messages_v1` takes, for thirty an eighth.
 */
interface AlikeItem {
  readonly text: Composed;
  readonly eventId: string;
  readonly receiptEvent: string;
}

const { plain, text, lines } = columnsOf<AlikeItem>();

/** What the function is given of each, a column at a time. */
// biome-ignore format: read as a table
const ALIKE_COLUMNS: readonly Column<AlikeItem>[] = [
  plain("ids",            "uuid",        ({ text }) => text.row.id),
  text ("recipients",                    ({ text }) => text.row.to_number),
  text ("bodies",                        ({ text }) => text.row.body),
  plain("encodings",      "text",        ({ text }) => text.row.encoding),
  plain("segment_counts", "integer",     ({ text }) => text.row.segments),
  plain("moments",        "timestamptz", ({ text }) => `"${formatTimestamp(text.row.created_at)}"`),
  plain("batch_indexes",  "integer",     ({ text }) => text.row.batch_index),
  lines("receipt_events",                ({ receiptEvent }) => receiptEvent),
  plain("event_ids",      "uuid",        ({ eventId }) => eventId),
  lines("event_data",                    ({ text }) => JSON.stringify(text.event?.data)),
];

/**
 * Accepts a group of such texts. Where a recipient has opted out of anything it writes nothing and
 * answers so: who may be texted then is decided by `accept_messages_v1`.
 */
export const acceptAlike = sqlFunction({
  name: "accept_alike_v1",
  parameters: [
    SHARD,
    { name: "at", type: "timestamptz" },
    // Of one each: whose they are, from which number, and when their receipts come.
    { name: "accounts", type: "uuid[]" },
    { name: "modes", type: "text[]" },
    { name: "senders", type: "text[]" },
    { name: "of_customer", type: "uuid" },
    { name: "of_pool", type: "uuid" },
    { name: "of_batch", type: "uuid" },
    { name: "receipts_at", type: "timestamptz" },
    ...ALIKE_COLUMNS,
  ],
  answers: [{ name: "has_opt_outs", type: "boolean" }],
  tells: true,
  body: `
declare
  texts integer := cardinality(ids);
  last_seq bigint;
begin
  -- The lock that all who move messages of the account hold; what follows sees what was committed before it.
  update account_counters c set event_seq = c.event_seq + texts
   where c.shard = $1 and c.account_id = accounts[1] returning c.event_seq into last_seq;
  has_opt_outs := exists (select from consent_states c
    where c.shard = $1 and c.account_id = accounts[1] and c.phone_number = any(recipients) and c.status = 'opted_out');
  if has_opt_outs then
    update account_counters c set event_seq = c.event_seq - texts where c.shard = $1 and c.account_id = accounts[1];
    return;
  end if;

  insert into messages (shard, account_id, id, direction, status, mode, from_number, to_number, body, encoding,
    segments, price_micros, billing, simulated, customer_id, pool_id, batch_id, batch_index, attempts, created_at, sent_at)
  select $1, accounts[1], t.id, 'outbound', ${SENT}, modes[1], senders[1], t.recipient, t.body, t.encoding,
         t.segments, 0, 'none', true, of_customer, of_pool, of_batch, t.batch_index, 1, t.created_at, t.created_at
    from unnest(ids, recipients, bodies, encodings, segment_counts, moments, batch_indexes)
         as t (id, recipient, body, encoding, segments, created_at, batch_index);
  insert into message_statuses (shard, account_id, status, id, simulated)
  select $1, accounts[1], ${SENT}, id, true from unnest(ids) as id;
  insert into due_receipts (shard, due_at, id, account_id, message_ids, events)
  values ($1, receipts_at, gen_random_uuid(), accounts[1], ids, receipt_events);

  ${addSent("texts", "at")};
  if not found then
    ${countSent(
      `(select accounts[1] as account_id, modes[1] as mode, senders[1] as from_number, null as carrier,
            false as from_service from unnest(ids)) as sent`,
      "at",
    )};
  end if;

  ${insertEventsAlike(carrier_accepted.emits, "of_customer")}
end`,
});

/** Accepts these texts if they are alike; null where they are not. */
export function alikeStep(
  deps: Pick<Base, "ids">,
  shard: number,
  texts: readonly Composed[],
  now: number,
): Step | null {
  const [first] = texts;
  const at = receiptsAt(1, texts);
  if (!first || at === null) return null;
  const items: AlikeItem[] = [];
  for (const one of texts) {
    if (!isPlain(one) || !isLike(one, first)) return null;
    const receiptEvent = receiptEventOf(one.row);
    if (receiptEvent === null) return null;
    items.push({ text: one, eventId: deps.ids.makeAt(now), receiptEvent });
  }
  const { row } = first;
  const values = [
    shard,
    new Date(now),
    [row.account_id],
    [row.mode],
    [row.from_number],
    row.customer_id,
    row.pool_id,
    row.batch_id,
    at,
    ...ALIKE_COLUMNS.map((column) => column.textOf(items)),
  ];
  return { statement: acceptAlike.call, values };
}

/** Sent in the sandbox, with nothing besides that the function would have to write. */
function isPlain({ row, event, claim, isBillable, quota, skipsConsent }: Composed): boolean {
  if (claim !== null || isBillable || quota !== null || skipsConsent) return false;
  if (event?.type !== carrier_accepted.emits || row.status !== carrier_accepted.to) return false;
  const { expires_at, quiet_hours, scheduled_message_id, verification_id, carrier } = row;
  const hasMore = expires_at ?? quiet_hours ?? scheduled_message_id ?? verification_id ?? carrier;
  return row.simulated && hasMore === null;
}

function isLike({ row }: Composed, { row: first }: Composed): boolean {
  return (
    row.account_id === first.account_id &&
    row.mode === first.mode &&
    row.from_number === first.from_number &&
    row.customer_id === first.customer_id &&
    row.pool_id === first.pool_id &&
    row.batch_id === first.batch_id
  );
}
