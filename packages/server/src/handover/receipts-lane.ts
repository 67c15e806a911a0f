import type { Receipt } from "../carriers/index.ts";
import type { Tx } from "../db/database.ts";
import { statement } from "../db/statement.ts";
import { dueByShard, EVERY_SHARD, earliestDue } from "../queue/due-shards.ts";
import type { Lane } from "../queue/lane.ts";
import { LANES } from "../queue/lane-names.ts";
import type { HandoverDeps } from "./deps.ts";
import { INBOX_SHARD } from "./inbox.ts";
import type { MessageRow } from "./message-row.ts";
import { type NamedAttempt, parseOurReference } from "./our-reference.ts";
import { applyFinalReceipts } from "./receipts.ts";
import { settleIn } from "./settle.ts";
import { MESSAGE_COLUMNS } from "./sql.ts";
import type { FinalReceipt, Settlement } from "./stages.ts";

const ITEMS_PER_CHUNK_MAX = 500;
/**
 * A receipt may overtake the answer that names its message. Naming it wakes the receipt; the looks in
 * between are for what was stored in that very moment. After the last it is kept, and not looked for.
 */
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

/** The message that a receipt is about. */
interface Match {
  readonly shard: number;
  readonly message_id: string;
  /** The attempt, where our own reference told it. */
  readonly attempt: number | null;
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

/**
 * The other receipts under the same names that are still to be applied: the first of all counts. It
 * waits for those that another chunk holds, which may be putting them off.
 */
const claimOthers = statement(
  "claim_other_receipts",
  `select id, carrier, kind, reference, payload, received_at from carrier_inbox
    where shard = $1 and carrier = any($3::text[]) and reference = any($4::text[])
      and kind = 'receipt' and due_at is not null and id <> all($2::uuid[])
    order by id limit $5 for update`,
);

// A carrier may use a reference again after a while: the newest message it names counts.
const matchReferences = statement(
  "match_carrier_references",
  `select distinct on (w.carrier, w.reference) w.carrier, w.reference, s.shard, r.message_id
     from unnest($1::text[], $2::text[]) as w (carrier, reference)
    cross join ${EVERY_SHARD}
    cross join lateral (
      select c.message_id, c.created_at from carrier_references c
       where c.shard = s.shard and c.carrier = w.carrier and c.reference = w.reference
       order by c.created_at desc limit 1
    ) r
    order by w.carrier, w.reference, r.created_at desc`,
  { acrossShards: "a receipt names a carrier's reference, not a shard" },
);

/** By our own names, and only where the attempt was made through the carrier that brings them. */
const matchAttempts = statement(
  "match_submit_attempts",
  `select w.inbox_id, s.shard, m.id as message_id, w.attempt
     from unnest($1::uuid[], $2::text[], $3::uuid[], $4::int[]) as w (inbox_id, carrier, message_id, attempt)
    cross join ${EVERY_SHARD}
    cross join lateral (
      select id, attempts, carrier, handed_at from messages
       where shard = s.shard and id = w.message_id limit 1
    ) m
    where m.handed_at is not null and m.attempts = w.attempt and m.carrier = w.carrier
       or exists (
         select 1 from submit_attempts a
          where a.shard = s.shard and a.message_id = w.message_id and a.attempt = w.attempt
            and a.carrier = w.carrier)`,
  { acrossShards: "our own reference names a message, not its shard" },
);

/** What the carrier calls them is known from now on: its other receipts may not carry our names. */
const nameMatched = statement(
  "name_matched_receipts",
  `insert into carrier_references (shard, carrier, reference, message_id, account_id, segment, created_at)
   select $1, i.carrier, i.reference, m.id, m.account_id, 1, $3
     from jsonb_to_recordset($2::jsonb) as i (carrier text, reference text, message_id uuid)
     join messages m on m.shard = $1 and m.id = i.message_id
   on conflict do nothing`,
);

/** Of messages that left in several parts: how many, and of how many it is known that they were delivered. */
const countParts = statement(
  "count_message_parts",
  `select r.message_id, max(r.segment) as parts,
          (select count(distinct b.reference)::int from carrier_inbox b
            where b.shard = $3 and b.message_id = r.message_id and b.kind = 'receipt'
              and b.payload ->> 'state' = 'delivered') as delivered
     from carrier_references r
    where r.shard = $1 and r.message_id = any($2::uuid[]) and r.segment > 1
    group by r.message_id`,
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
  name: LANES.receipts,
  nextDueAt: (deps) => earliestDue(deps, inboxDue),
  runDue: (deps) => deps.db.tx((tx) => applyChunk(deps, tx)),
};

async function applyChunk(deps: HandoverDeps, tx: Tx): Promise<number> {
  const now = deps.clock.now();
  const due = await tx.query<InboxRow>(claimReceipts, [
    INBOX_SHARD,
    new Date(now),
    ITEMS_PER_CHUNK_MAX,
  ]);
  if (due.length === 0) return 0;
  const matches = await matchesOf(tx, due);
  const others = await othersOf(tx, due, matches);
  for (const [id, match] of await matchesOf(tx, others)) matches.set(id, match);
  // As they came in: one that was looked at before its text had a name is due after later ones.
  const rows = [...due, ...others].sort((a, b) => (a.id < b.id ? -1 : 1));
  const finished = rows.map((row) => {
    const match = matches.get(row.id);
    const dueAt = match ? null : nextLook(row, now);
    return { id: row.id, due_at: dueAt, message_id: match?.message_id ?? null };
  });
  // Before they are applied: the parts of a long message are counted by what has arrived of them.
  await tx.query(finishInbox, [INBOX_SHARD, JSON.stringify(finished), new Date(now)]);
  for (const shard of new Set([...matches.values()].map((match) => match.shard))) {
    const own = rows.filter((row) => matches.get(row.id)?.shard === shard);
    await nameThose(tx, shard, own, matches, now);
    await applyTo(deps, tx, shard, own, matches);
  }
  return rows.length;
}

/**
 * One that was looked at while the answer that names its text was being written waits a while, and
 * others may stand behind this chunk: what the carrier said after them must not count before them.
 * Asked for once their text is known: by then the answer is committed and holds none of them.
 */
async function othersOf(
  tx: Tx,
  due: readonly InboxRow[],
  matches: ReadonlyMap<string, Match>,
): Promise<InboxRow[]> {
  const known = due.filter((row) => matches.has(row.id));
  if (known.length === 0) return [];
  return tx.query<InboxRow>(claimOthers, [
    INBOX_SHARD,
    due.map((row) => row.id),
    [...new Set(known.map((row) => row.carrier))],
    known.map((row) => row.reference),
    ITEMS_PER_CHUNK_MAX,
  ]);
}

/** Receipts by what they name: the carrier's reference or, where nobody knows that, our own. */
async function matchesOf(tx: Tx, rows: readonly InboxRow[]): Promise<Map<string, Match>> {
  const matches = new Map<string, Match>();
  if (rows.length === 0) return matches;
  const found = await tx.query<{
    carrier: string;
    reference: string;
    shard: number;
    message_id: string;
  }>(matchReferences, [rows.map((row) => row.carrier), rows.map((row) => row.reference)]);
  const byName = new Map(found.map((match) => [`${match.carrier} ${match.reference}`, match]));
  const unknown: { row: InboxRow; named: NamedAttempt }[] = [];
  for (const row of rows) {
    const match = byName.get(`${row.carrier} ${row.reference}`);
    const named = match ? null : parseOurReference(row.payload.ourReference);
    if (match) matches.set(row.id, { ...match, attempt: null });
    else if (named) unknown.push({ row, named });
  }
  if (unknown.length === 0) return matches;
  const attempts = await tx.query<Match & { inbox_id: string }>(matchAttempts, [
    unknown.map(({ row }) => row.id),
    unknown.map(({ row }) => row.carrier),
    unknown.map(({ named }) => named.messageId),
    unknown.map(({ named }) => named.attempt),
  ]);
  for (const { inbox_id, ...match } of attempts) matches.set(inbox_id, match);
  return matches;
}

async function nameThose(
  tx: Tx,
  shard: number,
  rows: readonly InboxRow[],
  matches: ReadonlyMap<string, Match>,
  now: number,
): Promise<void> {
  const named = rows.flatMap(({ id, carrier, reference }) => {
    const match = matches.get(id);
    return match && match.attempt !== null && reference !== null
      ? [{ carrier, reference, message_id: match.message_id }]
      : [];
  });
  if (named.length > 0) {
    await tx.query(nameMatched, [shard, JSON.stringify(named), new Date(now)]);
  }
}

/**
 * The first final receipt of a message counts; the others change nothing. A message that left in
 * several parts is delivered with the last of them, and failed with the first that fails.
 */
async function applyTo(
  deps: HandoverDeps,
  tx: Tx,
  shard: number,
  rows: readonly InboxRow[],
  matches: ReadonlyMap<string, Match>,
): Promise<void> {
  const finals = rows.filter((row) => row.payload.state !== "intermediate");
  const matchOf = (row: InboxRow) => matches.get(row.id) as Match;
  const ids = new Set(finals.map((row) => matchOf(row).message_id));
  const locked = await tx.query<MessageRow>(lockMessages, [shard, [...ids]]);
  const messages = new Map(locked.map((message) => [message.id, message]));
  const long = await partsOfLong(tx, shard, [...ids]);
  const receipts: (FinalReceipt & Pick<Settlement, "row" | "attempt">)[] = [];
  for (const one of finals) {
    const { message_id, attempt } = matchOf(one);
    const row = messages.get(message_id);
    const parts = long.get(message_id);
    const isPartial = parts !== undefined && parts.delivered < parts.parts;
    if (!row || (isPartial && one.payload.state === "delivered")) continue;
    messages.delete(message_id);
    const { carrierCode } = one.payload;
    const outcome = outcomeOf(one.payload);
    receipts.push({ row, outcome, carrierCode, attempt: attempt ?? row.attempts });
  }
  await acceptUnanswered(deps, tx, shard, receipts);
  await applyFinalReceipts(deps, tx, shard, receipts);
}

async function partsOfLong(tx: Tx, shard: number, ids: readonly string[]) {
  const rows = await tx.query<{ message_id: string; parts: number; delivered: number }>(
    countParts,
    [shard, ids, INBOX_SHARD],
  );
  return new Map(rows.map((row) => [row.message_id, row]));
}

/** A receipt proves that a hand-over whose answer was lost had been accepted. */
async function acceptUnanswered(
  deps: HandoverDeps,
  tx: Tx,
  shard: number,
  receipts: readonly Pick<Settlement, "row" | "attempt">[],
): Promise<void> {
  const settlements = receipts
    .filter(({ row }) => row.status === "queued" && row.attempts > 0)
    .map(({ row, attempt }) => ({
      row,
      attempt,
      carrier: row.carrier,
      outcome: { kind: "accepted" as const, references: [] },
      claim: null,
      isLate: true as const,
    }));
  if (settlements.length > 0) await settleIn(deps, tx, shard, settlements);
}

function outcomeOf(receipt: Receipt): "delivered" | NonNullable<Receipt["failure"]> {
  return receipt.state === "delivered" ? "delivered" : (receipt.failure ?? "unreachable");
}

/** When an unmatched receipt is looked for again; null when it has waited long enough. */
function nextLook(row: InboxRow, now: number): string | null {
  const age = now - row.received_at;
  if (age >= UNMATCHED_KEPT_MS) return null;
  const wait = UNMATCHED_WAITS_MS.find((ms) => ms > age) ?? UNMATCHED_KEPT_MS - age;
  return new Date(now + wait).toISOString();
}
