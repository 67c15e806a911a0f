import { BATCH_MOVES, type BatchCounts } from "@longwave/contract";
import type { AccountRow } from "../accounts/index.ts";
import type { Queryable, Step, Tx } from "../db/database.ts";
import { notify } from "../db/notifications.ts";
import { columnsOf } from "../db/statement.ts";
import { append } from "../events/index.ts";
import {
  acceptAhead,
  acceptIn,
  type Composed,
  type HandOver,
  type HandoverDeps,
  handOversOf,
  NOT_DEALT_WITH,
  type Places,
} from "../handover/index.ts";
import { wakeMessages } from "../messages/index.ts";
import { toApiId } from "../platform/ids.ts";
import { LANES } from "../queue/lane-names.ts";
import type { BatchRow, WaitingRow } from "./batch-row.ts";
import { type Addressed, createTurnComposer, type TurnComposer } from "./compose-turn.ts";
import { change, move } from "./move.ts";
import { type Outcome, refused } from "./outcome.ts";
import { reserveTurn } from "./pace.ts";
import { presentCounts } from "./present.ts";
import { lockBatch, readRetrying, readWaiting, writeTurn } from "./sql.ts";

const WAKES_PER_TURN_MAX = 1_000;
export const ROWS_PER_STRETCH_MAX = 250;
/** While the first stretch is read and composed the database has nothing to do. */
const ROWS_OF_FIRST_STRETCH_MAX = 80;

export type DueBatch = BatchRow & {
  readonly account_name: string;
  readonly account_status: AccountRow["status"];
  readonly live_access: AccountRow["live_access"];
  readonly rate_limit: number | null;
  readonly daily_message_quota: number;
  readonly phrase_opt_out: AccountRow["phrase_opt_out"];
  readonly smart_encoding: boolean;
  readonly account_quiet_hours: number | null;
  readonly account_created_at: number;
};

/** How many recipients a turn may take, and who is told how many it does. */
export interface TurnLimit {
  readonly rowsMax: number;
  inHand(rows: number): void;
}

/** One turn of a batch whose row is locked; answers what is to be handed over after the commit. */
export async function takeTurn(
  deps: HandoverDeps,
  tx: Tx,
  batch: DueBatch,
  places: Places,
  limit: TurnLimit,
  now: number,
): Promise<HandOver[]> {
  if (batch.wake_index !== null) {
    await wakeSome(tx, batch, batch.wake_index, now);
    return [];
  }
  if (batch.status !== "scheduled" && batch.status !== "sending") {
    await change(tx, batch, { due_at: null });
    return [];
  }
  if (batch.account_status === "suspended") {
    await change(tx, batch, { due_at: batch.due_at, held: true });
    return [];
  }
  return takeSendingTurn(deps, tx, await begun(tx, batch, now), places, limit, now);
}

/** A scheduled batch whose time has come is sending from its first turn on. */
async function begun<B extends BatchRow>(tx: Tx, batch: B, now: number): Promise<B> {
  if (batch.status === "sending") return batch;
  return move(tx, batch, "due", { due_at: batch.due_at, started_at: batch.started_at ?? now }, now);
}

async function takeSendingTurn(
  deps: HandoverDeps,
  tx: Tx,
  batch: DueBatch,
  places: Places,
  limit: TurnLimit,
  now: number,
): Promise<HandOver[]> {
  if (batch.waiting === 0) {
    await moveOn(deps, tx, batch, now, now);
    return [];
  }
  const turn = await reserveTurn(deps, tx, batch, places, limit.rowsMax, now);
  limit.inHand(turn.rows);
  if (turn.rows === 0) {
    await moveOn(deps, tx, batch, turn.nextAt, now);
    return [];
  }
  return sendSome(deps, tx, batch, turn, places, now);
}

/**
 * The turn of one recipient could not be taken, whatever the matter: they failed, and the batch goes
 * on behind them. Unless somebody else has moved it since.
 */
export async function failNext(
  deps: HandoverDeps,
  tx: Tx,
  { shard, account_id, id, next_index }: BatchRow,
  now: number,
): Promise<void> {
  const [locked] = await tx.query<BatchRow>(lockBatch, [shard, account_id, id]);
  const isSame = locked?.next_index === next_index && locked.wake_index === null;
  if (!isSame || (locked.status !== "scheduled" && locked.status !== "sending")) return;
  const [next] = await tx.query<WaitingRow>(readWaiting, [shard, id, next_index, 1]);
  if (!next) return;
  const batch = await begun(tx, locked, now);
  const outcomes = [refused(next.index, NOT_DEALT_WITH)];
  const after = writeOutcomes(tx, batch, { outcomes, nextIndex: next.index + 1 }, now);
  await moveOn(deps, tx, after, now, now);
}

/** Texts that a carrier refused for now are made due, a bounded number at a time. */
async function wakeSome(tx: Tx, batch: BatchRow, fromIndex: number, now: number): Promise<void> {
  const rows = await tx.query<{ index: number; message_id: string }>(readRetrying, [
    batch.shard,
    batch.id,
    fromIndex,
    WAKES_PER_TURN_MAX,
  ]);
  const ids = rows.map((row) => row.message_id);
  await wakeMessages(tx, batch.shard, ids, now);
  await notify(tx, "longwave_work", LANES.dispatch);
  const last = rows.at(-1);
  const isDone = rows.length < WAKES_PER_TURN_MAX || last === undefined;
  await change(tx, batch, { due_at: now, wake_index: isDone ? null : last.index + 1 });
}

/**
 * Sends to the next recipients, a stretch at a time in one transaction: while the database writes
 * one stretch, the next is read and composed here.
 */
async function sendSome(
  deps: HandoverDeps,
  tx: Tx,
  batch: DueBatch,
  turn: { readonly rows: number; readonly nextAt: number },
  places: Places,
  now: number,
): Promise<HandOver[]> {
  const composer = await createTurnComposer(deps, batch, accountOf(batch), places);
  // A short turn has nothing to read ahead, and needs no other connection.
  const isShort = turn.rows <= ROWS_PER_STRETCH_MAX;
  const db = isShort ? tx : deps.db;
  const handOvers: HandOver[] = [];
  let after = batch;
  const size = isShort ? ROWS_PER_STRETCH_MAX : ROWS_OF_FIRST_STRETCH_MAX;
  const first = { fromIndex: batch.next_index, rowsLeft: turn.rows, size };
  const readReady = async (wanted: WantedStretch) =>
    madeReady(deps, batch.shard, await readStretch(db, composer, batch, wanted));
  let next = await readReady(first);
  while (next !== null) {
    const stretch = next;
    const { rowsLeft, nextIndex: fromIndex } = stretch;
    const [following, handed] = await Promise.all([
      readReady({ fromIndex, rowsLeft, size: ROWS_PER_STRETCH_MAX }),
      acceptStretch(deps, tx, batch.shard, stretch, places),
    ]);
    handOvers.push(...handed);
    after = writeOutcomes(tx, after, stretch, now);
    next = following;
  }
  if (after === batch) {
    throw new Error(`Batch ${batch.id} counts ${batch.waiting} that wait, and there are none.`);
  }
  await moveOn(deps, tx, after, turn.nextAt, now);
  return handOvers;
}

/** Recipients who are next in line, their messages composed. */
export interface Stretch {
  readonly addressed: readonly Addressed[];
  /** What became of those that get no message, and later of the others. */
  readonly outcomes: Outcome[];
  readonly nextIndex: number;
  /** How many more this turn may take. */
  readonly rowsLeft: number;
}

/** A stretch of which nothing is left to do here before the database is asked to accept its texts. */
interface ReadyStretch extends Stretch {
  readonly texts: readonly Composed[];
  readonly ahead: Step | null;
}

function madeReady(
  deps: HandoverDeps,
  shard: number,
  stretch: Stretch | null,
): ReadyStretch | null {
  if (stretch === null) return null;
  const texts = stretch.addressed.map(({ text }) => text);
  return { ...stretch, texts, ahead: acceptAhead(deps, shard, texts) };
}

/** Where a stretch begins, and how long it may be. */
interface WantedStretch {
  readonly fromIndex: number;
  readonly rowsLeft: number;
  readonly size: number;
}

/**
 * Reads beside the turn's transaction: whoever moves recipients of the batch holds its lock, as the
 * turn does, so what still waits further down the list stands as it was committed.
 */
export async function readStretch(
  db: Queryable,
  composer: TurnComposer,
  batch: BatchRow,
  wanted: WantedStretch,
): Promise<Stretch | null> {
  if (wanted.rowsLeft === 0) return null;
  const size = Math.min(wanted.rowsLeft, wanted.size);
  const values = [batch.shard, batch.id, wanted.fromIndex, size];
  const rows = await db.query<WaitingRow>(readWaiting, values);
  const last = rows.at(-1);
  if (last === undefined) return null;
  const rowsLeft = rows.length < size ? 0 : wanted.rowsLeft - rows.length;
  return { ...(await composer.compose(rows)), nextIndex: last.index + 1, rowsLeft };
}

/** Writes the messages; what each came to is added to the outcomes. */
async function acceptStretch(
  deps: HandoverDeps,
  tx: Tx,
  shard: number,
  { addressed, outcomes, texts, ahead }: ReadyStretch,
  places: Places,
): Promise<HandOver[]> {
  if (addressed.length === 0) return [];
  const accepted = await acceptIn(deps, tx, shard, texts, ahead);
  for (const [position, { verdict }] of accepted.entries()) {
    const { index, text } = addressed[position] as Addressed;
    outcomes.push(verdict === "accepted" ? written(index, text) : refused(index, verdict));
  }
  if (texts.some((text) => text.row.next_attempt_at !== null && !text.carrier)) {
    await notify(tx, "longwave_work", LANES.dispatch);
  }
  return handOversOf(texts, accepted, places);
}

/** Where the writing of their message leaves a recipient. */
function written(index: number, text: Composed): Outcome {
  const { row } = text;
  return {
    index,
    state: stateOf(text),
    messageId: row.id,
    failureCode: row.failure_code,
    carrierCode: row.carrier_code,
  };
}

export function stateOf({ row, carrier }: Composed): Outcome["state"] {
  if (row.status === "sent" || row.status === "failed") return row.status;
  return carrier ? "handed" : "retrying";
}

const { plain, text } = columnsOf<Outcome>();

/** What `writeTurn` is given of each, a column at a time. */
// biome-ignore format: read as a table
const OUTCOME_COLUMNS = [
  plain("indexes",       "integer", ({ index }) => index),
  plain("states",        "text",    ({ state }) => state),
  plain("message_ids",   "uuid",    ({ messageId }) => messageId),
  text ("failure_codes",            ({ failureCode }) => failureCode),
  text ("carrier_codes",            ({ carrierCode }) => carrierCode),
];

/** Nothing is waited for: the messages of the next stretch leave right behind it. */
function writeOutcomes<B extends BatchRow>(
  tx: Tx,
  batch: B,
  { outcomes, nextIndex }: Pick<Stretch, "outcomes" | "nextIndex">,
  now: number,
): B {
  const count = { handed: 0, retrying: 0, sent: 0, failed: 0, skipped: 0 };
  for (const { state } of outcomes) count[state] += 1;
  tx.send(writeTurn, [
    batch.shard,
    batch.id,
    ...OUTCOME_COLUMNS.map((column) => column.textOf(outcomes)),
    outcomes.length,
    count.handed,
    count.retrying,
    count.sent,
    count.failed,
    count.skipped,
    nextIndex,
    new Date(now),
    batch.next_index,
  ]);
  return {
    ...batch,
    next_index: nextIndex,
    waiting: batch.waiting - outcomes.length,
    handed: batch.handed + count.handed,
    retrying: batch.retrying + count.retrying,
    sent: batch.sent + count.sent,
    failed: batch.failed + count.failed,
    skipped: batch.skipped + count.skipped,
  };
}

/** Says when the batch's next turn is; one that has nothing left on its way is complete. */
async function moveOn(
  deps: HandoverDeps,
  tx: Tx,
  batch: BatchRow,
  nextAt: number,
  now: number,
): Promise<void> {
  const startedAt = batch.started_at ?? now;
  const isDone = batch.waiting + batch.handed + batch.retrying === 0;
  if (!isDone) {
    // Without anybody left who waits, the settlement of the last text makes it due again.
    const dueAt = batch.waiting > 0 ? nextAt : null;
    await change(tx, batch, { due_at: dueAt, started_at: startedAt });
    return;
  }
  const changes = {
    due_at: null,
    retry_running: false,
    started_at: startedAt,
    completed_at: now,
  };
  const complete = await move(tx, batch, "finish", changes, now);
  await tellComplete(deps, tx, complete);
}

async function tellComplete(deps: HandoverDeps, tx: Tx, batch: BatchRow): Promise<void> {
  const counts: BatchCounts = presentCounts(batch);
  const customer =
    batch.customer_id === null ? {} : { customer_id: toApiId("customer", batch.customer_id) };
  const data = { batch_id: toApiId("batch", batch.id), counts, ...customer };
  const owner = { shard: batch.shard, accountId: batch.account_id };
  await append(deps, tx, owner, [
    { type: BATCH_MOVES.finish.emits, data, customerId: batch.customer_id },
  ]);
}

export function accountOf(batch: DueBatch): AccountRow {
  return {
    id: batch.account_id,
    shard: batch.shard,
    name: batch.account_name,
    status: batch.account_status,
    live_access: batch.live_access,
    rate_limit: batch.rate_limit,
    daily_message_quota: batch.daily_message_quota,
    phrase_opt_out: batch.phrase_opt_out,
    smart_encoding: batch.smart_encoding,
    quiet_hours: batch.account_quiet_hours,
    created_at: batch.account_created_at,
  };
}
