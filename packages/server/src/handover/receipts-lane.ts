import type { Receipt } from "../carriers/index.ts";
import type { Tx } from "../db/database.ts";
import { statement } from "../db/statement.ts";
import { dueByShard, earliestDue } from "../queue/due-shards.ts";
import type { Lane } from "../queue/lane.ts";
import type { HandoverDeps } from "./deps.ts";
import { INBOX_SHARD, RECEIPTS_LANE } from "./inbox.ts";
import type { MessageRow } from "./message-row.ts";
import { applyFinalReceipts } from "./receipts.ts";
import { settleIn } from "./settle.ts";
import { MESSAGE_COLUMNS } from "./sql.ts";

const ITEMS_PER_CHUNK_MAX = 500;
/** A receipt may overtake the answer that names its message: it waits, and is looked for again. */
const UNMATCHED_WAITS_MS = [1_000, 2_000, 5_000, 30_000, 300_000] as const;
const UNMATCHED_KEPT_MS = 72 * 3_600_000;

interface InboxRow {
  readonly id: string;
  readonly carrier: string;
  readonly kind: "receipt" | "inbound";
  readonly reference: string | null;
  readonly payload: Receipt;
  readonly received_at: number;
}

interface Match {
  readonly carrier: string;
  readonly reference: string;
  readonly shard: number;
  readonly message_id: string;
}

const inboxDue = dueByShard("carrier_receipts_due_by_shard", {
  table: "carrier_inbox",
  dueAt: "due_at",
  where: "kind = 'receipt' and due_at is not null",
});

// Those woken together by the answer that names their message count in the order they came in.
const claimReceipts = statement(
  "claim_carrier_receipts",
  `select id, carrier, kind, reference, payload, received_at from carrier_inbox
    where shard = $1 and due_at <= $2 and kind = 'receipt'
    order by due_at, id limit $3 for update skip locked`,
);

// A carrier may use a reference again after a while: the newest message it names counts.
const matchReferences = statement(
  "match_carrier_references",
  `select distinct on (r.carrier, r.reference) r.carrier, r.reference, r.shard, r.message_id
     from carrier_references r
     join unnest($1::text[], $2::text[]) as w (carrier, reference)
       on w.carrier = r.carrier and w.reference = r.reference
    order by r.carrier, r.reference, r.created_at desc`,
  { acrossShards: "a receipt names a carrier's reference, not a shard" },
);

const lockMessages = statement(
  "lock_messages_for_receipts",
  `select ${MESSAGE_COLUMNS} from messages m
    where m.shard = $1 and m.id = any($2::uuid[]) order by m.id for update`,
);

const finishInbox = statement(
  "finish_carrier_inbox",
  `update carrier_inbox b set due_at = i.due_at, message_id = i.message_id,
          handled_at = case when i.due_at is null then $3::timestamptz end
     from jsonb_to_recordset($2::jsonb) as i (id uuid, due_at timestamptz, message_id uuid)
    where b.shard = $1 and b.id = i.id`,
);

/** The receipts that carriers brought, matched to their messages and applied. */
export const receiptsLane: Lane<HandoverDeps> = {
  name: RECEIPTS_LANE,
  nextDueAt: (deps) => earliestDue(deps, inboxDue),
  runDue: (deps) => deps.db.tx((tx) => applyChunk(deps, tx)),
};

async function applyChunk(deps: HandoverDeps, tx: Tx): Promise<number> {
  const now = deps.clock.now();
  const rows = await tx.query<InboxRow>(claimReceipts, [
    INBOX_SHARD,
    new Date(now),
    ITEMS_PER_CHUNK_MAX,
  ]);
  if (rows.length === 0) return 0;
  const matches = await matchesOf(tx, rows);
  for (const shard of new Set([...matches.values()].map((match) => match.shard))) {
    const own = rows.filter((row) => matches.get(nameOf(row))?.shard === shard);
    await applyTo(deps, tx, shard, own, matches);
  }
  const finished = rows.map((row) => {
    const match = matches.get(nameOf(row));
    const dueAt = match ? null : nextLook(row, now);
    return { id: row.id, due_at: dueAt, message_id: match?.message_id ?? null };
  });
  await tx.query(finishInbox, [INBOX_SHARD, JSON.stringify(finished), new Date(now)]);
  return rows.length;
}

async function matchesOf(tx: Tx, rows: readonly InboxRow[]): Promise<Map<string, Match>> {
  const found = await tx.query<Match>(matchReferences, [
    rows.map((row) => row.carrier),
    rows.map((row) => row.reference),
  ]);
  return new Map(found.map((match) => [`${match.carrier} ${match.reference}`, match]));
}

/** The first final receipt of a message counts; the others change nothing. */
async function applyTo(
  deps: HandoverDeps,
  tx: Tx,
  shard: number,
  rows: readonly InboxRow[],
  matches: ReadonlyMap<string, Match>,
): Promise<void> {
  const finals = rows.filter((row) => row.payload.state !== "intermediate");
  const ids = finals.map((row) => matches.get(nameOf(row))?.message_id as string);
  const locked = await tx.query<MessageRow>(lockMessages, [shard, [...new Set(ids)]]);
  const messages = new Map(locked.map((message) => [message.id, message]));
  const seen = new Set<string>();
  const receipts = finals.flatMap((row, index) => {
    const message = messages.get(ids[index] as string);
    if (!message || seen.has(message.id)) return [];
    seen.add(message.id);
    return [
      { row: message, outcome: outcomeOf(row.payload), carrierCode: row.payload.carrierCode },
    ];
  });
  await acceptUnanswered(
    deps,
    tx,
    shard,
    receipts.map((receipt) => receipt.row),
  );
  await applyFinalReceipts(deps, tx, shard, receipts);
}

/** A receipt proves that a hand-over whose answer was lost had been accepted. */
async function acceptUnanswered(
  deps: HandoverDeps,
  tx: Tx,
  shard: number,
  rows: readonly MessageRow[],
): Promise<void> {
  const settlements = rows
    .filter((row) => row.status === "queued" && row.attempts > 0)
    .map((row) => ({
      row,
      attempt: row.attempts,
      carrier: row.carrier,
      outcome: { kind: "accepted" as const, references: [] },
      claim: null,
    }));
  if (settlements.length > 0) await settleIn(deps, tx, shard, settlements);
}

function outcomeOf(receipt: Receipt): "delivered" | NonNullable<Receipt["failure"]> {
  return receipt.state === "delivered" ? "delivered" : (receipt.failure ?? "unreachable");
}

function nameOf(row: InboxRow): string {
  return `${row.carrier} ${row.reference}`;
}

/** When an unmatched receipt is looked for again; null when it has waited long enough. */
function nextLook(row: InboxRow, now: number): string | null {
  const age = now - row.received_at;
  if (age >= UNMATCHED_KEPT_MS) return null;
  const wait = UNMATCHED_WAITS_MS.find((ms) => ms > age) ?? 1_800_000;
  return new Date(now + wait).toISOString();
}
