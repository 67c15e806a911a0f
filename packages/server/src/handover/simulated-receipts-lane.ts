import { simulatedCarrierCode, simulatedOutcome } from "../carriers/index.ts";
import type { Step } from "../db/database.ts";
import { earliestDue, type Lane, shardsDueNow } from "../queue/lane.ts";
import { LANES } from "../queue/lane-names.ts";
import type { HandoverDeps } from "./deps.ts";
import type { MessageRow } from "./message.ts";
import { applyFinalReceipts, bringFreeReceipts, bringReceipts, receiptSteps } from "./receipts.ts";
import {
  findDueReceipts,
  findMessage,
  findReceived,
  forgetDueReceipts,
  receiptsDue,
} from "./sql.ts";
import type { FinalReceipt, Received } from "./stages.ts";

const ROWS_PER_LOOK_MAX = 100;
/** Small enough that a single send of the same account hardly waits for a chunk. */
const TEXTS_PER_CHUNK_MAX = 250;
const TEXTS_ALONG_MIN = 16;

/** A row of due receipts; those that are not plain say something else than delivered, or are answered. */
interface DueRow {
  readonly id: string;
  readonly account_id: string;
  readonly is_plain: boolean;
  readonly message_ids: readonly string[] | null;
  readonly texts: number;
}

/**
 * A busy account has receipts due at every millisecond, and each chunk locks it: those of so long
 * are brought together.
 */
const CHUNK_EVERY_MS = 25;

/** The receipts of the simulated network, when they fall due; some phones then text back. */
export const simulatedReceiptsLane: Lane<HandoverDeps> = {
  name: LANES.simulatedReceipts,
  chunkEveryMs: CHUNK_EVERY_MS,
  nextDueAt: (deps) => earliestDue(deps, receiptsDue),
  async runDue(deps) {
    let done = 0;
    for (const shard of await shardsDueNow(deps, receiptsDue)) done += await bringDue(deps, shard);
    return done;
  },
};

async function bringDue(deps: HandoverDeps, shard: number): Promise<number> {
  const now = deps.clock.now();
  const values = [shard, new Date(now), ROWS_PER_LOOK_MAX];
  const rows = await deps.db.query<DueRow>(findDueReceipts, values);
  const { alongWithTexts, byThemselves } = partsOf(rows.filter((row) => row.is_plain));
  // All go out at once: the database has the next at hand when one is done.
  const settled = await Promise.allSettled([
    ...alongWithTexts.map((chunk) => bringAlong(deps, shard, chunk, now)),
    ...chunksOf(byThemselves).map((chunk) => bringChunk(deps, shard, chunk, now)),
  ]);
  const failed = settled.find((one) => one.status === "rejected");
  if (failed) throw failed.reason;
  for (const row of rows.filter((one) => !one.is_plain)) await bringOthers(deps, shard, row, now);
  return rows.length;
}

interface Parts {
  /** The rows of one account each. */
  readonly alongWithTexts: DueRow[][];
  readonly byThemselves: DueRow[];
}

/**
 * An account that has as many due as are worth a commit of their own is sending right now: its
 * receipts go along with its next texts, whose lock and commit they share. One that has more than a
 * chunk is being flooded (a batch), and its single texts are not made to wait for all of them.
 */
function partsOf(rows: readonly DueRow[]): Parts {
  const alongWithTexts: DueRow[][] = [];
  const byThemselves: DueRow[] = [];
  for (const accountId of accountsOf(rows)) {
    const own = rows.filter((row) => row.account_id === accountId);
    const texts = textsIn(own);
    if (texts >= TEXTS_ALONG_MIN && texts <= TEXTS_PER_CHUNK_MAX) alongWithTexts.push(own);
    else byThemselves.push(...own);
  }
  return { alongWithTexts, byThemselves };
}

function textsIn(rows: readonly DueRow[]): number {
  return rows.reduce((sum, row) => sum + row.texts, 0);
}

/** Rows together as long as they are few texts. */
function chunksOf(rows: readonly DueRow[]): DueRow[][] {
  const chunks: DueRow[][] = [];
  let texts = TEXTS_PER_CHUNK_MAX;
  for (const row of rows) {
    texts += row.texts;
    if (texts > TEXTS_PER_CHUNK_MAX) {
      chunks.push([]);
      texts = row.texts;
    }
    chunks.at(-1)?.push(row);
  }
  return chunks;
}

/** In the transaction of the account's next texts, where those are of no other. */
async function bringAlong(
  deps: HandoverDeps,
  shard: number,
  rows: readonly DueRow[],
  now: number,
): Promise<void> {
  const [{ account_id: accountId = "" } = {}] = rows;
  const step = bringStep(deps, shard, rows, now);
  const brought = await deps.messageWriter.takeAlong({ shard, accountId, step, waiting: 0 });
  if (brought === null) await bringChunk(deps, shard, rows, now);
}

/**
 * One statement: the accounts are locked no longer than it takes. Several are locked together only while
 * nobody else has any of them: an account that is busy is waited for by itself, and holds up no other.
 */
async function bringChunk(
  deps: HandoverDeps,
  shard: number,
  rows: readonly DueRow[],
  now: number,
): Promise<void> {
  const fly = (step: Step) => deps.db.fly([step], { profile: "lanes" });
  const step = bringStep(deps, shard, rows, now);
  if (accountsOf(rows).length === 1) {
    await fly(step);
    return;
  }
  const [brought = []] = await fly({ ...step, statement: bringFreeReceipts.call });
  const [{ left_out: busy }] = brought as [{ readonly left_out: readonly string[] }];
  const alone = busy.map((id) => rows.filter((row) => row.account_id === id));
  await Promise.all(alone.map((own) => fly(bringStep(deps, shard, own, now))));
}

function accountsOf(rows: readonly DueRow[]): string[] {
  return [...new Set(rows.map((row) => row.account_id))];
}

function bringStep(deps: HandoverDeps, shard: number, rows: readonly DueRow[], now: number): Step {
  const accounts = accountsOf(rows);
  const eventIds = Array.from({ length: textsIn(rows) }, () => deps.ids.makeAt(now));
  const values = [
    shard,
    new Date(now),
    accounts,
    rows.map((row) => row.id),
    `{${eventIds.join(",")}}`,
  ];
  return { statement: bringReceipts.call, values };
}

/** Those that say something else than delivered, and those whose phone texts back. */
async function bringOthers(
  deps: HandoverDeps,
  shard: number,
  { id, message_ids }: DueRow,
  now: number,
): Promise<void> {
  const rows = await deps.db.query<Received>(findReceived, [shard, message_ids]);
  const replies = rows.filter((row) => simulatedOutcome(row.to_number).reply !== null);
  for (const row of replies) await bringReply(deps, shard, row);
  const silent = rows.filter((row) => !replies.includes(row)).map(receiptOf);
  const forget = { statement: forgetDueReceipts, values: [shard, new Date(now), [id]] };
  const {
    lock = [],
    apply,
    follow = [],
  } = silent.length === 0 ? {} : receiptSteps(deps, shard, silent);
  await deps.db.fly([...lock, ...(apply ? [apply] : []), ...follow, forget], { profile: "lanes" });
}

/** The receipt and what the phone then texts back, in one transaction: both or neither. */
async function bringReply(deps: HandoverDeps, shard: number, row: Received): Promise<void> {
  await deps.db.tx(async (tx) => {
    const [moved] = await applyFinalReceipts(deps, tx, shard, [receiptOf(row)]);
    if (!moved) return;
    const [message] = await tx.query<MessageRow>(findMessage, [shard, row.account_id, row.id]);
    if (message) await deps.simulateReply(tx, message);
  });
}

function receiptOf(row: Received): FinalReceipt {
  const outcome = simulatedOutcome(row.to_number).receipt ?? "delivered";
  const carrierCode = outcome === "delivered" ? null : simulatedCarrierCode(outcome);
  return { row, outcome, carrierCode };
}
