import { createHash } from "node:crypto";
import type { CarrierSink, InboundText, Receipt } from "../carriers/carrier.ts";
import type { Queryable, Step } from "../db/database.ts";
import { isUnavailable } from "../db/failures.ts";
import { createGroup } from "../db/group.ts";
import { EVERY_SHARD } from "../db/sql-builder.ts";
import { statement } from "../db/statement.ts";
import type { Clock } from "../platform/clock.ts";
import type { Ids } from "../platform/ids.ts";
import { storableText } from "../platform/outside-text.ts";
import type { QueueDeps } from "../queue/deps.ts";
import { LANES } from "../queue/lane-names.ts";
import { onlyAccount } from "./accept.ts";
import type { MessageFollowers } from "./follower.ts";
import { ourReferenceOf } from "./our-reference.ts";
import { receiptSteps } from "./receipts.ts";
import { INBOX_SHARD, NEWEST_NAMED, RECEIVED_COLUMNS } from "./sql.ts";
import type { FinalReceipt, Received } from "./stages.ts";

const ITEMS_PER_WRITE_MAX = 1_000;
const ITEMS_WAITING_MAX = 10_000;
/**
 * Where receipts come in numbers the next write waits a little for more: it costs about as much for few as for
 * many, and holds up the texts of its account. A peer that waits for our answers after fewer is answered at once.
 */
const REST_MS = 10;
const ITEMS_BEFORE_REST_MIN = 12;
/** A carrier without message ids may repeat a text; a person may mean it. Within 5 s it is a repeat. */
const REPEAT_WINDOW_MS = 5_000;

/** Parts carry a number of their own, so that only a text repeated word by word could be meant. */
const REPEATED_PART_WINDOW_MS = 3_600_000;

type SinkDeps = QueueDeps & { readonly follower: MessageFollowers };

interface InboxItem {
  readonly id: string;
  readonly carrier: string;
  readonly kind: "receipt" | "inbound";
  readonly dedupe_key: string;
  readonly reference: string | null;
  readonly payload: object;
}

/** What has its message is handled already; the rest falls due. */
const insertInbox = statement(
  "insert_carrier_inbox",
  `insert into carrier_inbox
     (shard, id, carrier, kind, dedupe_key, reference, payload, received_at, due_at, handled_at, message_id)
   select $1, i.id, i.carrier, i.kind, i.dedupe_key, i.reference, i.payload, $3,
          case when i.message_id is null then $3::timestamptz end,
          case when i.message_id is not null then $3::timestamptz end, i.message_id
     from json_to_recordset($2::json) as i
       (id uuid, carrier text, kind text, dedupe_key text, reference text, payload json, message_id uuid)
   on conflict (shard, carrier, kind, dedupe_key) do nothing`,
);

/** More than any window: what one process may have had out. */
const UNANSWERED_MAX = 10_000;

/** Texts in one part that were handed to a carrier, and whose answer nobody has written down. */
const findUnanswered = statement(
  "find_unanswered_texts",
  `select u.id, u.attempt
     from ${EVERY_SHARD}
    cross join lateral (
      select m.id, m.attempts as attempt
        from due_attempts d cross join lateral unnest(d.message_ids) as named (id)
        join messages m on m.shard = s.shard and m.id = named.id
       where d.shard = s.shard and m.is_out and m.status = 'queued' and m.segments = 1
         and m.carrier = $1
       limit $2
    ) u limit $2`,
  {
    onCitus: `select m.id, m.attempts as attempt
       from due_attempts d cross join lateral unnest(d.message_ids) as named (id)
       join messages m on m.shard = d.shard and m.id = named.id
      where m.is_out and m.status = 'queued' and m.segments = 1 and m.carrier = $1
      limit $2`,
    acrossShards: "a carrier brings receipts of every account",
  },
);

/**
 * Where carriers hand over receipts and inbound texts. They are stored, and only then may the
 * carrier be told so; a repeated one meets the unique key and is stored once.
 */
export function createCarrierSink(deps: SinkDeps): CarrierSink {
  const group = createGroup<InboxItem, void>({
    meter: deps.metrics.group("inbox"),
    itemsPerWriteMax: ITEMS_PER_WRITE_MAX,
    itemsWaitingMax: ITEMS_WAITING_MAX,
    rest: (items) => (items < ITEMS_BEFORE_REST_MIN ? null : deps.clock.sleep(REST_MS)),
    isItemFault: (error) => !isUnavailable(error),
    write: async (items) => {
      const due = await storeKnown(deps, items).catch((error: unknown) => {
        // Whatever it is, what came is kept first: the lane looks at each by itself.
        deps.log.warn({ err: error }, "receipts could not be applied as they came");
        return deps.db.query(storeStep(deps, items)).then(() => items);
      });
      for (const kind of new Set(due.map((item) => item.kind))) {
        deps.wakes.wake(kind === "receipt" ? LANES.receipts : LANES.inbound);
      }
      return items.map(() => undefined);
    },
  });
  return {
    receipt: (receipt) => group.add(receiptItem(deps, receipt)),
    inbound: (text) => group.add(inboundItem(deps, text)),
    async unanswered(carrier) {
      const values = [carrier, UNANSWERED_MAX];
      const rows = await deps.db.query<{ id: string; attempt: number }>(findUnanswered, values);
      return rows.map(({ id, attempt }) => ourReferenceOf({ messageId: id, attempt }));
    },
  };
}

function storeStep(
  deps: Pick<SinkDeps, "clock">,
  items: readonly (InboxItem & { readonly message_id?: string })[],
): Step {
  const values = [INBOX_SHARD, JSON.stringify(items), new Date(deps.clock.now())];
  return { statement: insertInbox, values };
}

/**
 * Stores what came and, in the same transaction, applies the receipts of which all is known. Most are:
 * a receipt seldom overtakes the answer that names its text. One that was brought before finds its text
 * moved. Answers what is left for the lanes.
 */
async function storeKnown(
  deps: SinkDeps,
  items: readonly InboxItem[],
): Promise<readonly InboxItem[]> {
  const known = await knownAmong(
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
    const text = known.get(position);
    return text ? { ...item, message_id: text.row.id } : item;
  });
  const accountId = onlyAccount(receipts.map(({ row }) => row.account_id));
  // Stored first: who waits for a receipt that the lane is about to finish must not hold its account.
  await deps.db.fly([storeStep(deps, stored), ...steps], { accountId });
  return items.filter((_, position) => !known.has(position));
}

function receiptItem(deps: { ids: Ids }, receipt: Receipt): InboxItem {
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

function inboundItem(deps: { ids: Ids; clock: Clock }, text: InboundText): InboxItem {
  const key = repeatKey(deps.clock, text);
  return {
    id: deps.ids.make(),
    carrier: text.carrier,
    kind: "inbound",
    dedupe_key: key,
    reference: text.reference,
    payload: { ...text, from: storableText(text.from), body: storableText(text.body) },
  };
}

/** Equal for what is the same text brought again. A person may write the same twice. */
function repeatKey(clock: Clock, { reference, from, to, body, part }: InboundText): string {
  const windowMs = part ? REPEATED_PART_WINDOW_MS : REPEAT_WINDOW_MS;
  const bucket = String(Math.floor(clock.realNow() / windowMs));
  if (!part) return reference ?? digest([from, to, body, bucket]);
  const place = `${part.reference} ${part.total} ${part.number}`;
  return digest([reference ?? "", from, to, body, bucket, place]);
}

function digest(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

/** A receipt that can be applied as it comes in, and where its text is. */
interface KnownReceipt extends FinalReceipt {
  readonly shard: number;
}

/**
 * Texts that these names stand for, where nothing else is to be asked: sent, in one part, and without
 * an earlier receipt that still waits, which would count before this one.
 */
const findKnown = statement(
  "find_known_receipts",
  `select k.i::int as position, k.shard, ${RECEIVED_COLUMNS}
     from (
       select distinct on (w.i) w.i, s.shard, r.message_id
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
    where m.status = 'sent' and not exists (
      select from carrier_references l
       where l.shard = k.shard and l.message_id = k.message_id and l.segment > 1)`,
  {
    // Over several nodes that would be several questions, which the lane asks for many receipts at once: none is known.
    onCitus:
      "select 0 as position where $1::text[] is null and $2::text[] is null and $3::int is null",
    acrossShards: "a receipt names a carrier's reference, not a shard",
  },
);

/** Which of these receipts, by their positions, can be applied at once: the first of each text. */
async function knownAmong(
  db: Queryable,
  receipts: readonly (Receipt | null)[],
): Promise<Map<number, KnownReceipt>> {
  const positions = firstOfEach(receipts);
  if (positions.length === 0) return new Map();
  const named = positions.map((position) => receipts[position] as Receipt);
  const found = await db.query<Received & { position: number; shard: number }>(findKnown, [
    named.map(({ carrier }) => carrier),
    named.map(({ reference }) => reference),
    INBOX_SHARD,
  ]);
  const known = new Map<number, KnownReceipt>();
  const texts = new Set<string>();
  for (const { position, shard, ...row } of found) {
    // Two names may stand for one text; its other receipts come after this one.
    if (texts.has(row.id)) continue;
    texts.add(row.id);
    const receipt = named[position - 1] as Receipt;
    const outcome = outcomeOf(receipt);
    const { carrierCode } = receipt;
    known.set(positions[position - 1] as number, { row, outcome, carrierCode, shard });
  }
  return known;
}

/** Positions of the first final receipt under each name, unless another kind came before it. */
function firstOfEach(receipts: readonly (Receipt | null)[]): number[] {
  const names = new Set<string>();
  return [...receipts.entries()].flatMap(([position, receipt]) => {
    if (receipt === null || receipt.reference === null) return [];
    const name = JSON.stringify([receipt.carrier, receipt.reference]);
    if (receipt.state === "intermediate" || names.has(name)) return [];
    names.add(name);
    return [position];
  });
}

export function outcomeOf(receipt: Receipt): FinalReceipt["outcome"] {
  return receipt.state === "delivered" ? "delivered" : (receipt.failure ?? "unreachable");
}
