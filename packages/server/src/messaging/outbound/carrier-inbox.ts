import { createHash } from "node:crypto";
import type { Queryable, Step } from "../../core/db/driver/database.ts";
import { isUnavailable } from "../../core/db/driver/failures.ts";
import { createGroup } from "../../core/db/driver/group.ts";
import { EVERY_SHARD } from "../../core/db/driver/sql-builder.ts";
import { statement } from "../../core/db/driver/statement.ts";
import type { Clock } from "../../core/platform/clock.ts";
import type { Ids } from "../../core/platform/ids.ts";
import { storableText } from "../../core/platform/outside-text.ts";
import type { QueueDeps } from "../../core/queue/deps.ts";
import { LANES } from "../../core/queue/lane-names.ts";
import type { InboundMessage, InboxSink, Receipt } from "../../network/carriers/carrier.ts";
import { countsOf, type UnownedItem, unownedSteps } from "../../network/carriers/index.ts";
import {
  type FinalReceipt,
  RECEIPT_MESSAGE_COLUMNS,
  type ReceiptMessage,
} from "../messages/index.ts";
import { onlyAccount } from "./accept.ts";
import { receiptSteps } from "./apply-receipts.ts";
import type { MessageFollowers } from "./follower.ts";
import { ourReferenceOf } from "./our-reference.ts";
import { isRedacted, withoutPerson } from "./redacted-receipts.ts";
import { INBOX_SHARD, NEWEST_NAMED } from "./sql.ts";

const ITEMS_PER_WRITE_MAX = 1_000;
const ITEMS_WAITING_MAX = 10_000;
/**
 * Under load the next write waits this long for more items: a write costs about the same for few as for many, and
 * locks the account's messages meanwhile. A carrier that waits for acknowledgements of fewer items gets them at
 * once.
 */
const REST_MS = 10;
const ITEMS_BEFORE_REST_MIN = 12;
/** Without message ids, an identical message within this window is a repeat by the carrier. */
const REPEAT_WINDOW_MS = 5_000;

/** Parts have numbers, so an identical part within this window is a repeat. */
const REPEATED_PART_WINDOW_MS = 3_600_000;

/** Longer references are stored as their digest and longer senders are cut: both are indexed. */
const REFERENCE_CHARS_MAX = 255;
const SENDER_CHARS_MAX = 100;

type SinkDeps = QueueDeps & { readonly follower: MessageFollowers };

interface InboxItem {
  readonly id: string;
  readonly carrier: string;
  readonly kind: "receipt" | "inbound";
  readonly dedupe_key: string;
  readonly reference: string | null;
  readonly payload: Receipt | InboundMessage;
  /** The carrier does not serve the item's number: the item is stored and never falls due. */
  readonly is_unowned?: true;
}

/** Stores items. Items with a message, and unowned ones, are handled already; the rest falls due. */
const insertInbox = statement(
  "insert_carrier_inbox",
  `insert into carrier_inbox
     (shard, id, carrier, kind, dedupe_key, reference, payload, received_at, due_at, handled_at, message_id)
   select $1, i.id, i.carrier, i.kind, i.dedupe_key, i.reference, i.payload, $3,
          case when i.message_id is null and i.is_unowned is not true then $3::timestamptz end,
          case when i.message_id is not null or i.is_unowned then $3::timestamptz end, i.message_id
     from json_to_recordset($2::json) as i
       (id uuid, carrier text, kind text, dedupe_key text, reference text, payload json, message_id uuid,
        is_unowned boolean)
   on conflict (shard, carrier, kind, dedupe_key) do nothing`,
);

/** Exceeds the window of any bind. */
const UNANSWERED_MAX = 10_000;

/** Selects submitted single-part messages whose answer is not stored. */
const findUnanswered = statement(
  "find_unanswered_messages",
  `select u.id, u.attempt
     from ${EVERY_SHARD}
    cross join lateral (
      select m.id, m.attempts as attempt
        from due_attempts d cross join lateral unnest(d.message_ids) as named (id)
        join messages m on m.shard = s.shard and m.id = named.id
       where d.shard = s.shard and m.awaiting_carrier and m.status = 'queued' and m.segments = 1
         and m.carrier = $1
       limit $2
    ) u limit $2`,
  {
    onCitus: `select m.id, m.attempts as attempt
       from due_attempts d cross join lateral unnest(d.message_ids) as named (id)
       join messages m on m.shard = d.shard and m.id = named.id
      where m.awaiting_carrier and m.status = 'queued' and m.segments = 1 and m.carrier = $1
      limit $2`,
    acrossShards: "a carrier brings receipts of every account",
  },
);

/** Stores receipts and inbound messages before the carrier gets its acknowledgement. A unique key drops repeats. */
export function createCarrierSink(deps: SinkDeps): InboxSink {
  const group = createGroup<InboxItem, void>({
    meter: deps.metrics.group("inbox"),
    itemsPerWriteMax: ITEMS_PER_WRITE_MAX,
    itemsWaitingMax: ITEMS_WAITING_MAX,
    rest: (items) => (items < ITEMS_BEFORE_REST_MIN ? null : deps.clock.sleep(REST_MS)),
    isItemFault: (error) => !isUnavailable(error),
    write: async (items) => {
      const now = deps.clock.now();
      const due = await storeAndApply(deps, items, now).catch((error: unknown) => {
        // Store the items without applying any; the lane processes each one later.
        deps.log.warn({ err: error }, "inbox: receipts left to the lane");
        const steps = [storeStep(items, now), ...unownedSteps(unownedAmong(items), now)];
        return deps.db.execPipelined(steps).then(() => items.filter(isOwned));
      });
      noteUnowned(deps, unownedAmong(items));
      for (const kind of new Set(due.map((item) => item.kind))) {
        deps.wakes.wake(kind === "receipt" ? LANES.receipts : LANES.inbound);
      }
      return items.map(() => undefined);
    },
  });
  return {
    receipt: (receipt) => group.add(receiptItem(deps, receipt)),
    inbound: (message) => group.add(inboundItem(deps, message)),
    unowned: (message) => group.add(unownedItem(deps, message)),
    async unanswered(carrier) {
      const values = [carrier, UNANSWERED_MAX];
      const rows = await deps.db.query<{ id: string; attempt: number }>(findUnanswered, values);
      return rows.map(({ id, attempt }) => ourReferenceOf({ messageId: id, attempt }));
    },
  };
}

function storeStep(
  items: readonly (InboxItem & { readonly message_id?: string })[],
  now: number,
): Step {
  const values = [INBOX_SHARD, JSON.stringify(items), new Date(now)];
  return { statement: insertInbox, values };
}

const isOwned = ({ is_unowned }: InboxItem): boolean => is_unowned !== true;

function unownedAmong(items: readonly InboxItem[]): UnownedItem[] {
  return items.flatMap((item) => {
    if (isOwned(item)) return [];
    const { carrier, kind, payload } = item;
    return [{ carrier, kind, number: (payload as InboundMessage).to }];
  });
}

/** Logs one line per carrier and write, so that a flood of messages does not flood the log. */
function noteUnowned(
  { log, metrics }: Pick<SinkDeps, "log" | "metrics">,
  items: readonly UnownedItem[],
): void {
  for (const { carrier, number, count } of countsOf(items)) {
    metrics.unownedTexts.inc({ carrier }, count);
    log.warn(
      { carrier, to: number, count },
      "carriers: inbound for a number this carrier does not serve",
    );
  }
}

/**
 * Stores items and applies, in the same transaction, the receipts whose message is known; returns the rest for the
 * lanes.
 *
 * Most are known: a receipt seldom arrives before the answer that names its message. A repeated receipt finds its
 * message already moved.
 */
async function storeAndApply(
  deps: SinkDeps,
  items: readonly InboxItem[],
  now: number,
): Promise<readonly InboxItem[]> {
  const known = await findApplicable(
    deps.db,
    items.map((item) => (item.kind === "receipt" ? (item.payload as Receipt) : null)),
  );
  const receipts = [...known.values()];
  const steps = [...new Set(receipts.map((receipt) => receipt.shard))].flatMap((shard) => {
    const own = receipts.filter((receipt) => receipt.shard === shard);
    const { lock, apply, follow } = receiptSteps(deps, shard, own);
    return [...lock, apply, ...follow];
  });
  const stored = items.map((item, position) => {
    const receipt = known.get(position);
    if (!receipt) return item;
    const payload = isRedacted(receipt.row) ? withoutPerson(item.payload as Receipt) : item.payload;
    return { ...item, payload, message_id: receipt.row.id };
  });
  const accountId = onlyAccount(receipts.map(({ row }) => row.account_id));
  // Counted last, as in the lanes, which have locked the accounts by then.
  const counted = unownedSteps(unownedAmong(items), now);
  // Stored first: waiting for a receipt that a lane is finishing must not happen under the account lock.
  await deps.db.execPipelined([storeStep(stored, now), ...steps, ...counted], { accountId });
  return items.filter((item, position) => isOwned(item) && !known.has(position));
}

function receiptItem(deps: { ids: Ids }, given: Receipt): InboxItem {
  const receipt = storable(given);
  return {
    id: deps.ids.make(),
    carrier: receipt.carrier,
    kind: "receipt",
    dedupe_key: digest([
      receipt.reference ?? receipt.ourReference ?? String(receipt.shortReference ?? ""),
      receipt.state,
      receipt.raw,
    ]),
    reference: receipt.reference,
    payload: receipt,
  };
}

function inboundItem(deps: { ids: Ids; clock: Clock }, given: InboundMessage): InboxItem {
  const message = storable({ ...given, from: given.from.slice(0, SENDER_CHARS_MAX) });
  const key = repeatKey(deps.clock, message);
  return {
    id: deps.ids.make(),
    carrier: message.carrier,
    kind: "inbound",
    dedupe_key: key,
    reference: message.reference,
    payload: message,
  };
}

/** The dedupe key differs from that of a served message: the carrier may repeat it once it serves the number. */
function unownedItem(deps: { ids: Ids; clock: Clock }, message: InboundMessage): InboxItem {
  const item = inboundItem(deps, message);
  return { ...item, dedupe_key: digest(["unowned", item.dedupe_key]), is_unowned: true };
}

/** Makes carrier input storable in PostgreSQL: no NUL, no lone surrogates, short references. */
function storable<T extends Receipt | InboundMessage>(given: T): T {
  const entries = Object.entries(given).map(([name, value]) => [name, storableValue(value)]);
  const item = Object.fromEntries(entries) as T;
  const { reference } = item;
  if (reference === null || reference.length <= REFERENCE_CHARS_MAX) return item;
  return { ...item, reference: digest([reference]) };
}

function storableValue(value: unknown): unknown {
  if (typeof value === "string") return storableText(value);
  return Array.isArray(value) ? value.map(storableValue) : value;
}

/** Equal for repeats of the same message; a person may still send the same message twice. */
function repeatKey(clock: Clock, { reference, from, to, body, part }: InboundMessage): string {
  const windowMs = part ? REPEATED_PART_WINDOW_MS : REPEAT_WINDOW_MS;
  const bucket = String(Math.floor(clock.realNow() / windowMs));
  if (!part) return reference ?? digest([from, to, body, bucket]);
  const partKey = `${part.reference} ${part.total} ${part.number}`;
  return digest([reference ?? "", from, to, body, bucket, partKey]);
}

function digest(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

/** A receipt that can be applied on arrival, with the shard of its message. */
interface ApplicableReceipt extends FinalReceipt {
  readonly shard: number;
}

/**
 * Selects messages by reference whose receipt can be applied on arrival.
 *
 * The message was sent through this carrier in one part, and no earlier receipt of it is waiting.
 */
const findNamedMessages = statement(
  "find_applicable_receipts",
  `select k.i::int as position, k.shard, ${RECEIPT_MESSAGE_COLUMNS}
     from (
       select distinct on (w.i) w.i, w.carrier, s.shard, r.message_id
         from unnest($1::text[], $2::text[]) with ordinality as w (carrier, reference, i)
        cross join ${EVERY_SHARD}
        cross join lateral (${NEWEST_NAMED}) r
        where not exists (
          select from carrier_inbox b
           where b.shard = $3 and b.carrier = w.carrier and b.reference = w.reference
             and b.kind = 'receipt' and b.due_at is not null)
        order by w.i, r.created_at desc
     ) k
    cross join lateral (
      select * from messages where shard = k.shard and id = k.message_id limit 1
    ) m
    where m.status = 'sent' and m.carrier = k.carrier and not exists (
      select from carrier_references l
       where l.shard = k.shard and l.message_id = k.message_id and l.segment > 1)`,
  {
    // On several nodes this would take several queries; the lane runs those for many receipts at once.
    onCitus:
      "select 0 as position where $1::text[] is null and $2::text[] is null and $3::int is null",
    acrossShards: "a receipt names a carrier's reference, not a shard",
  },
);

/** Receipts that can be applied on arrival, by position: the first of each message. */
async function findApplicable(
  db: Queryable,
  receipts: readonly (Receipt | null)[],
): Promise<Map<number, ApplicableReceipt>> {
  const positions = firstFinals(receipts);
  if (positions.length === 0) return new Map();
  const named = positions.map((position) => receipts[position] as Receipt);
  const found = await db.query<ReceiptMessage & { position: number; shard: number }>(
    findNamedMessages,
    [named.map(({ carrier }) => carrier), named.map(({ reference }) => reference), INBOX_SHARD],
  );
  const known = new Map<number, ApplicableReceipt>();
  const messageIds = new Set<string>();
  for (const { position, shard, ...row } of found) {
    // Two references may name one message; its first receipt counts.
    if (messageIds.has(row.id)) continue;
    messageIds.add(row.id);
    const receipt = named[position - 1] as Receipt;
    const outcome = outcomeOf(receipt);
    const final = { row, outcome, carrierCode: receipt.carrierCode, shard, ...extrasOf(receipt) };
    known.set(positions[position - 1] as number, final);
  }
  return known;
}

/** Positions of the first final receipt per reference, unless another kind came before it. */
function firstFinals(receipts: readonly (Receipt | null)[]): number[] {
  const names = new Set<string>();
  return [...receipts.entries()].flatMap(([position, receipt]) => {
    if (receipt === null || receipt.reference === null) return [];
    const name = JSON.stringify([receipt.carrier, receipt.reference]);
    if (receipt.state === "intermediate" || names.has(name)) return [];
    names.add(name);
    return [position];
  });
}

/** Facts of a receipt beside the outcome. */
export function extrasOf({
  hasOptedOut,
  cost,
}: Receipt): Pick<FinalReceipt, "hasOptedOut" | "cost"> {
  return { ...(hasOptedOut ? { hasOptedOut } : {}), ...(cost ? { cost } : {}) };
}

export function outcomeOf(receipt: Receipt): FinalReceipt["outcome"] {
  return receipt.state === "delivered" ? "delivered" : (receipt.failure ?? "unreachable");
}
