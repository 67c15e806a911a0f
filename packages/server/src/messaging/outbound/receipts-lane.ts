import type { Tx } from "../../core/db/driver/database.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { dueByShard, earliestDue, type Lane } from "../../core/queue/lane.ts";
import { LANES } from "../../core/queue/lane-names.ts";
import {
  countsOf,
  keepSteps,
  type UnownedItem,
  unownedSteps,
} from "../../network/carriers/index.ts";
import {
  type FinalReceipt,
  MESSAGE_COLUMNS,
  type MessageRow,
  RECEIPT_MESSAGE_COLUMNS,
  type ReceiptMessage,
} from "../messages/index.ts";
import { applyFinalReceipts } from "./apply-receipts.ts";
import { extrasOf, outcomeOf } from "./carrier-inbox.ts";
import type { OutboundDeps } from "./deps.ts";
import { bisectDue } from "./due-rows.ts";
import { runSteps } from "./follower.ts";
import {
  foreignReceipts,
  type InboxRow,
  type Match,
  matchReceipts,
  storeReferences,
} from "./match-receipts.ts";
import { isRedacted, redactStored, redactUnmatchedReceipts } from "./redacted-receipts.ts";
import { settleIn } from "./settle.ts";
import { INBOX_SHARD } from "./sql.ts";

const ITEMS_PER_CHUNK_MAX = 500;
/**
 * A receipt may arrive before the answer that names its message. Storing the answer makes the receipt due again;
 * these retries, by age, cover receipts that were stored at that very moment. After the last one the receipt is
 * kept, unmatched.
 */
const UNMATCHED_RETRY_AGES_MS = [1_000, 2_000, 5_000, 30_000, 300_000] as const;
/** Age of an unmatched receipt that the operator sees. */
const UNMATCHED_LOST_MS = 300_000;
const UNMATCHED_KEPT_MS = 72 * 3_600_000;
/** A chunk costs about the same for few receipts as for many, so the lane collects them for this long. */
const CHUNK_EVERY_MS = 50;
const KEPT_PER_CHUNK_MAX = 50;
const QUARANTINE_MS_MIN = 1_000;
const QUARANTINE_MS_MAX = 3_600_000;

/** Columns of a message that are needed before its receipt is applied. */
type ReceiptTarget = ReceiptMessage & Pick<MessageRow, "status" | "attempts" | "carrier">;

interface MatchedReceipt extends FinalReceipt {
  readonly row: ReceiptTarget;
  readonly attempt: number;
}

const inboxDue = dueByShard("carrier_receipts_due_by_shard", {
  table: "carrier_inbox",
  dueAt: "due_at",
  where: "kind = 'receipt' and due_at is not null",
});

// Receipts that become due together are applied in arrival order.
const claimReceipts = statement(
  "claim_carrier_receipts",
  `select id, carrier, kind, reference, payload, received_at from carrier_inbox
    where shard = $1 and due_at <= $2 and kind = 'receipt'
    order by due_at, id limit $3 for update skip locked`,
);

/**
 * Locks the remaining receipts of the same references: the first receipt of all counts.
 *
 * Waits for receipts that another chunk has locked, because that chunk may postpone them.
 */
const claimOthers = statement(
  "claim_other_receipts",
  `select id, carrier, kind, reference, payload, received_at from carrier_inbox
    where shard = $1 and carrier = any($3::text[]) and reference = any($4::text[])
      and kind = 'receipt' and due_at is not null and id <> all($2::uuid[])
    order by id limit $5 for update`,
);

/** Counts the parts of multi-part messages, and how many of them are reported delivered. */
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
    // The inbox may be on another Citus worker, so it is queried separately first.
    onCitus: `with delivered_parts as materialized (
         select b.message_id, count(distinct b.reference)::int as parts from carrier_inbox b
          where b.shard = $3 and b.message_id = any($2::uuid[]) and b.kind = 'receipt'
            and b.payload ->> 'state' = 'delivered'
          group by b.message_id
       )
       select r.message_id, max(r.segment) as parts, coalesce(max(h.parts), 0) as delivered
         from carrier_references r left join delivered_parts h on h.message_id = r.message_id
        where r.shard = $1 and r.message_id = any($2::uuid[]) and r.segment > 1
        group by r.message_id`,
  },
);

const lockMessages = statement(
  "lock_messages_for_receipts",
  `select ${MESSAGE_COLUMNS} from messages m
    where m.shard = $1 and m.id = any($2::uuid[]) order by m.id for update`,
);

/** Reads messages without a lock: applying the receipt checks the status again. */
const findTargets = statement(
  "find_messages_of_receipts",
  `select ${RECEIPT_MESSAGE_COLUMNS}, m.status, m.attempts, m.carrier from messages m
    where m.shard = $1 and m.id = any($2::uuid[])`,
);

const finishInbox = statement(
  "finish_carrier_inbox",
  `update carrier_inbox b set due_at = i.due_at, message_id = i.message_id,
          handled_at = case when i.due_at is null then $3::timestamptz end
     from jsonb_to_recordset($2::jsonb) as i (id uuid, due_at timestamptz, message_id uuid)
    where b.shard = $1 and b.id = i.id`,
);

/** Matches carriers' receipts to messages and applies them. */
export const receiptsLane: Lane<OutboundDeps> = {
  name: LANES.receipts,
  chunkEveryMs: CHUNK_EVERY_MS,
  nextDueAt: (deps) => earliestDue(deps, inboxDue),
  runDue: (deps) => applyDue(deps),
};

/** A receipt that cannot be applied is quarantined, so that it delays no other. */
function applyDue(deps: OutboundDeps): Promise<number> {
  let first: InboxRow | undefined;
  return bisectDue(deps, ITEMS_PER_CHUNK_MAX, {
    process: async (itemsMax, claimed) => {
      const unowned = await deps.db.tx(async (tx) => {
        const values = [INBOX_SHARD, new Date(deps.clock.now()), itemsMax];
        const due = await tx.query<InboxRow>(claimReceipts, values);
        [first] = due;
        claimed(due.length);
        return applyChunk(deps, tx, due);
      });
      noteUnowned(deps, unowned);
    },
    quarantine: () => quarantine(deps, first as InboxRow),
  });
}

/** Retries the receipt after as long as it has waited, for as long as unmatched receipts are kept. */
async function quarantine(deps: OutboundDeps, row: InboxRow): Promise<void> {
  const now = deps.clock.now();
  const age = now - row.received_at;
  const waitMs = Math.min(Math.max(age, QUARANTINE_MS_MIN), QUARANTINE_MS_MAX);
  const due_at = age < UNMATCHED_KEPT_MS ? new Date(now + waitMs).toISOString() : null;
  const kept = [{ id: row.id, due_at, message_id: null }];
  await deps.db.query(finishInbox, [INBOX_SHARD, JSON.stringify(kept), new Date(now)]);
}

function noteUnowned({ log, metrics }: OutboundDeps, items: readonly UnownedItem[]): void {
  for (const { carrier, number, count } of countsOf(items)) {
    metrics.unownedReceipts.inc({ carrier }, count);
    log.warn(
      { carrier, from: number, count },
      "carriers: receipt for a message this carrier does not have",
    );
  }
}

/** Applies a chunk of receipts; returns the unowned ones. */
async function applyChunk(
  deps: OutboundDeps,
  tx: Tx,
  due: readonly InboxRow[],
): Promise<UnownedItem[]> {
  if (due.length === 0) return [];
  const now = deps.clock.now();
  const matches = await matchReceipts(tx, due, now);
  const others = await claimOthersOf(tx, due, matches);
  for (const [id, match] of await matchReceipts(tx, others, now)) matches.set(id, match);
  // Arrival order: a receipt that was postponed once is due after later ones.
  const rows = [...due, ...others].sort((a, b) => (a.id < b.id ? -1 : 1));
  const unmatched = rows.filter((row) => !matches.has(row.id));
  const foreign = await foreignReceipts(tx, unmatched);
  const finished = rows.map((row) => {
    const match = matches.get(row.id);
    const dueAt = match || foreign.has(row.id) ? null : nextMatchAt(row, now);
    return { id: row.id, due_at: dueAt, message_id: match?.message_id ?? null };
  });
  // Finish before applying: counting the parts of a long message reads the finished receipts.
  await tx.query(finishInbox, [INBOX_SHARD, JSON.stringify(finished), new Date(now)]);
  for (const shard of new Set([...matches.values()].map((match) => match.shard))) {
    const own = rows.filter((row) => matches.get(row.id)?.shard === shard);
    await storeReferences(tx, shard, own, matches, now);
    await applyMatched(deps, tx, shard, own, matches);
  }
  const finishedIds = new Set(finished.flatMap(({ id, due_at }) => (due_at === null ? id : [])));
  const unowned = unmatched
    .filter(({ id }) => finishedIds.has(id))
    .map(({ id, carrier }) => ({
      carrier,
      kind: "receipt" as const,
      number: foreign.get(id) ?? null,
    }));
  const isEnded = (row: InboxRow) => finishedIds.has(row.id) || isLost(row, now);
  const ofErased = await redactErased(deps, tx, unmatched.filter(isEnded));
  const lost = unmatched.filter(
    (row) => !foreign.has(row.id) && !ofErased.has(row.id) && isLost(row, now),
  );
  await runSteps(tx, [...unownedSteps(unowned, now), ...keepSteps(deps, keptOf(deps, lost))]);
  return unowned;
}

/** Takes erased persons out of receipts that match no message; returns the ids of those receipts. */
async function redactErased(
  { erasedPhones }: OutboundDeps,
  tx: Tx,
  rows: readonly InboxRow[],
): Promise<ReadonlySet<string>> {
  const texts = rows.map(({ payload }) => [payload.raw, ...(payload.numbers ?? [])].join("\n"));
  const named = await erasedPhones.namedIn(tx, texts);
  const ids = rows.flatMap(({ id }, position) => (named.has(position) ? id : []));
  await redactUnmatchedReceipts(tx, ids);
  return new Set(ids);
}

/** Receipts of HTTP carriers that no message has: another path of the declaration may name one. */
function keptOf(
  { carriers }: OutboundDeps,
  rows: readonly InboxRow[],
): Parameters<typeof keepSteps>[1] {
  const declared = new Set(
    carriers.links().flatMap(({ config }) => (config.type === "http" ? config.name : [])),
  );
  return rows
    .filter(({ carrier }) => declared.has(carrier))
    .slice(0, KEPT_PER_CHUNK_MAX)
    .map(({ carrier, reference, payload }) => ({
      carrier,
      kind: "receipts",
      reason: `No message has the reference ${reference ?? payload.ourReference ?? ""}.`,
      query: "",
      contentType: "application/json",
      body: Buffer.from(payload.raw),
      isItem: true,
    }));
}

/**
 * Claims earlier receipts of the matched messages that are still waiting.
 *
 * A receipt that arrived while the answer was being stored waits a while, and later receipts must not count before
 * it. The query runs after matching: by then the answer has committed and locks none of them.
 */
async function claimOthersOf(
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
 * Applies the first final receipt of each message; the others change nothing.
 *
 * A multi-part message is delivered with its last part, and fails with the first part that fails.
 */
async function applyMatched(
  deps: OutboundDeps,
  tx: Tx,
  shard: number,
  rows: readonly InboxRow[],
  matches: ReadonlyMap<string, Match>,
): Promise<void> {
  const finals = rows.filter((row) => row.payload.state !== "intermediate");
  const matchOf = (row: InboxRow) => matches.get(row.id) as Match;
  const ids = [...new Set(rows.map((row) => matchOf(row).message_id))];
  if (ids.length === 0) return;
  const [found, long] = await Promise.all([
    tx.query<ReceiptTarget>(findTargets, [shard, ids]),
    countedParts(tx, shard, ids),
  ]);
  const messages = new Map(found.map((message) => [message.id, message]));
  const redacted = new Set(found.filter(isRedacted).map(({ id }) => id));
  const ofRedacted = rows.filter((row) => redacted.has(matchOf(row).message_id));
  await redactStored(
    tx,
    ofRedacted.map(({ id }) => id),
  );
  const receipts: MatchedReceipt[] = [];
  for (const one of finals) {
    const { message_id, attempt } = matchOf(one);
    const row = messages.get(message_id);
    const parts = long.get(message_id);
    const isPartial = parts !== undefined && parts.delivered < parts.parts;
    if (!row || (isPartial && one.payload.state === "delivered")) continue;
    if (one.payload.state === "failed" && hasLaterAttempt(row, one, attempt)) continue;
    messages.delete(message_id);
    const { carrierCode } = one.payload;
    const outcome = outcomeOf(one.payload);
    const final = { row, outcome, carrierCode, attempt: attempt ?? row.attempts };
    receipts.push({ ...final, ...extrasOf(one.payload) });
  }
  await acceptUnanswered(deps, tx, shard, receipts);
  await applyFinalReceipts(deps, tx, shard, receipts);
}

/** Whether a later attempt went to another carrier: the message may still arrive. */
function hasLaterAttempt(
  row: ReceiptTarget,
  { carrier }: InboxRow,
  attempt: number | null,
): boolean {
  return row.carrier !== carrier || (attempt !== null && attempt < row.attempts);
}

interface Parts {
  readonly message_id: string;
  readonly parts: number;
  readonly delivered: number;
}

/** Counts parts, locks the long messages, and counts again: two processes may each have a part. */
async function countedParts(
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

/** Settles submits whose answer was lost as accepted: the receipt proves it. */
async function acceptUnanswered(
  deps: OutboundDeps,
  tx: Tx,
  shard: number,
  receipts: readonly MatchedReceipt[],
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

/** Next time to match an unmatched receipt; null once it has waited long enough. */
/** Whether the retries that cover a late answer are over. */
function isLost({ received_at }: InboxRow, now: number): boolean {
  const age = now - received_at;
  return age >= UNMATCHED_LOST_MS && age < UNMATCHED_KEPT_MS;
}

function nextMatchAt(row: InboxRow, now: number): string | null {
  const age = now - row.received_at;
  if (age >= UNMATCHED_KEPT_MS) return null;
  const wait = UNMATCHED_RETRY_AGES_MS.find((ms) => ms > age) ?? UNMATCHED_KEPT_MS - age;
  return new Date(now + wait).toISOString();
}
