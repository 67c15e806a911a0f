import type { Tx } from "../db/database.ts";
import { statement } from "../db/statement.ts";
import { dueByShard, earliestDue, type Lane } from "../queue/lane.ts";
import { LANES } from "../queue/lane-names.ts";
import type { HandoverDeps } from "./deps.ts";
import { inHalves } from "./in-halves.ts";
import { outcomeOf } from "./inbox.ts";
import { type InboxRow, type Match, matchesOf, nameThose } from "./match-receipts.ts";
import type { MessageRow } from "./message.ts";
import { applyFinalReceipts } from "./receipts.ts";
import { settleIn } from "./settle.ts";
import { INBOX_SHARD, MESSAGE_COLUMNS, RECEIVED_COLUMNS } from "./sql.ts";
import type { FinalReceipt, Received } from "./stages.ts";

const ITEMS_PER_CHUNK_MAX = 500;
/**
 * A receipt may overtake the answer that names its message. Naming it wakes the receipt; the looks in
 * between are for what was stored in that very moment. After the last it is kept, and not looked for.
 */
const UNMATCHED_WAITS_MS = [1_000, 2_000, 5_000, 30_000, 300_000] as const;
const UNMATCHED_KEPT_MS = 72 * 3_600_000;
/** A chunk costs about as much for a few receipts as for many: those of so long are applied together. */
const CHUNK_EVERY_MS = 50;
const SET_ASIDE_MS_MIN = 1_000;
const SET_ASIDE_MS_MAX = 3_600_000;

/** What of a message is to be known before its receipt is applied. */
type Answered = Received & Pick<MessageRow, "status" | "attempts">;

interface AnsweredReceipt extends FinalReceipt {
  readonly row: Answered;
  readonly attempt: number;
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
  {
    // The inbox is in another shard, and so perhaps on another worker: it is asked first, by itself.
    onCitus: `with heard as materialized (
         select b.message_id, count(distinct b.reference)::int as parts from carrier_inbox b
          where b.shard = $3 and b.message_id = any($2::uuid[]) and b.kind = 'receipt'
            and b.payload ->> 'state' = 'delivered'
          group by b.message_id
       )
       select r.message_id, max(r.segment) as parts, coalesce(max(h.parts), 0) as delivered
         from carrier_references r left join heard h on h.message_id = r.message_id
        where r.shard = $1 and r.message_id = any($2::uuid[]) and r.segment > 1
        group by r.message_id`,
  },
);

const lockMessages = statement(
  "lock_messages_for_receipts",
  `select ${MESSAGE_COLUMNS} from messages m
    where m.shard = $1 and m.id = any($2::uuid[]) order by m.id for update`,
);

/** The same without a lock: what applies a receipt looks at the status again. */
const findAnswered = statement(
  "find_messages_of_receipts",
  `select ${RECEIVED_COLUMNS}, m.status, m.attempts from messages m
    where m.shard = $1 and m.id = any($2::uuid[])`,
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
  chunkEveryMs: CHUNK_EVERY_MS,
  nextDueAt: (deps) => earliestDue(deps, inboxDue),
  runDue: (deps) => applyDue(deps),
};

/** One receipt that cannot be applied is set aside, so that it holds up none of the others. */
function applyDue(deps: HandoverDeps): Promise<number> {
  let first: InboxRow | undefined;
  return inHalves(deps, ITEMS_PER_CHUNK_MAX, {
    dealWith: (itemsMax, inHand) =>
      deps.db.tx(async (tx) => {
        const values = [INBOX_SHARD, new Date(deps.clock.now()), itemsMax];
        const due = await tx.query<InboxRow>(claimReceipts, values);
        [first] = due;
        inHand(due.length);
        await applyChunk(deps, tx, due);
        return [];
      }),
    setAside: () => setAside(deps, first as InboxRow),
  });
}

/** It is tried again after as long as it has waited, and no more once others would not be matched. */
async function setAside(deps: HandoverDeps, row: InboxRow): Promise<void> {
  const now = deps.clock.now();
  const age = now - row.received_at;
  const waitMs = Math.min(Math.max(age, SET_ASIDE_MS_MIN), SET_ASIDE_MS_MAX);
  const due_at = age < UNMATCHED_KEPT_MS ? new Date(now + waitMs).toISOString() : null;
  const kept = [{ id: row.id, due_at, message_id: null }];
  await deps.db.query(finishInbox, [INBOX_SHARD, JSON.stringify(kept), new Date(now)]);
}

async function applyChunk(deps: HandoverDeps, tx: Tx, due: readonly InboxRow[]): Promise<void> {
  if (due.length === 0) return;
  const now = deps.clock.now();
  const matches = await matchesOf(tx, due, now);
  const others = await othersOf(tx, due, matches);
  for (const [id, match] of await matchesOf(tx, others, now)) matches.set(id, match);
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
  const ids = [...new Set(finals.map((row) => matchOf(row).message_id))];
  if (ids.length === 0) return;
  const [found, long] = await Promise.all([
    tx.query<Answered>(findAnswered, [shard, ids]),
    partsOfLong(tx, shard, ids),
  ]);
  const messages = new Map(found.map((message) => [message.id, message]));
  const receipts: AnsweredReceipt[] = [];
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

interface Parts {
  readonly message_id: string;
  readonly parts: number;
  readonly delivered: number;
}

/** Two processes may have a part each: they are counted again once nobody else counts them. */
async function partsOfLong(
  tx: Tx,
  shard: number,
  ids: readonly string[],
): Promise<Map<string, Parts>> {
  const count = (of: readonly string[]) => tx.query<Parts>(countParts, [shard, of, INBOX_SHARD]);
  const long = (await count(ids)).map((row) => row.message_id);
  if (long.length === 0) return new Map();
  await tx.query(lockMessages, [shard, long]);
  return new Map((await count(long)).map((row) => [row.message_id, row]));
}

/** A receipt proves that a hand-over whose answer was lost had been accepted. */
async function acceptUnanswered(
  deps: HandoverDeps,
  tx: Tx,
  shard: number,
  receipts: readonly AnsweredReceipt[],
): Promise<void> {
  const unanswered = receipts.filter(({ row }) => row.status === "queued" && row.attempts > 0);
  if (unanswered.length === 0) return;
  const attempts = new Map(unanswered.map(({ row, attempt }) => [row.id, attempt]));
  const locked = await tx.query<MessageRow>(lockMessages, [shard, [...attempts.keys()]]);
  const settlements = locked.map((row) => ({
    row,
    attempt: attempts.get(row.id) ?? row.attempts,
    carrier: row.carrier,
    outcome: { kind: "accepted" as const, references: [] },
    claim: null,
    isLate: true as const,
  }));
  await settleIn(deps, tx, shard, settlements);
}

/** When an unmatched receipt is looked for again; null when it has waited long enough. */
function nextLook(row: InboxRow, now: number): string | null {
  const age = now - row.received_at;
  if (age >= UNMATCHED_KEPT_MS) return null;
  const wait = UNMATCHED_WAITS_MS.find((ms) => ms > age) ?? UNMATCHED_KEPT_MS - age;
  return new Date(now + wait).toISOString();
}
