import { AUTO_REPLY_SECONDS_MAX, type FailureCode, formatTimestamp } from "@longwave/contract";
import {
  isEverybody,
  type SubmitOutcome,
  simulatedCarrierCode,
  simulatedHandOver,
  simulatedReceiptDueAt,
} from "../carriers/index.ts";
import type { Tx } from "../db/database.ts";
import { findSender } from "../numbers/index.ts";
import { assert } from "../platform/assert.ts";
import { earliestDue, shardsDueNow } from "../queue/due-shards.ts";
import type { Lane } from "../queue/lane.ts";
import { LANES } from "../queue/lane-names.ts";
import { NO_CARRIER_CODE } from "./compose.ts";
import type { HandoverDeps } from "./deps.ts";
import { ANSWER_WAIT_MS_MAX, decidedMsAfter } from "./due-times.ts";
import { type Judgements, runSteps } from "./follower.ts";
import { type HandOver, handOverAll } from "./hand-over.ts";
import type { MessageRow } from "./message-row.ts";
import { type Places, txWithPlaces } from "./places.ts";
import { heldAmong } from "./quiet.ts";
import { OUTCOME_NEVER_KNOWN, settleIn } from "./settle.ts";
import {
  attemptsDue,
  claimDueAttempts,
  findDueMessages,
  findOptedOut,
  forgetDueAttempts,
  giveUpAnswers,
  handOverAgain,
  lockAccounts,
  lockDueMessages,
  postponeMessages,
} from "./sql.ts";
import type { Settlement } from "./stages.ts";

/** Rows of due attempts are taken as long as they name few texts; the first one always is. */
const ROWS_PER_CHUNK_MAX = 50;
const MESSAGES_PER_CHUNK_MAX = 500;
/** How long a message waits when its account is suspended, or when no link has a place for it. */
const SUSPENDED_WAIT_MS = 60_000;
const NO_PLACE_WAIT_MS = 200;

interface DueRow {
  readonly id: string;
  readonly message_ids: readonly string[];
}

type DueMessage = MessageRow & {
  readonly account_status: "active" | "suspended";
  /** Whether an answer was lost once already, and the text went out again. */
  readonly is_resent: boolean;
};

/** What is to be done with each message of a chunk. */
interface Sorted {
  readonly settlements: Settlement[];
  readonly handOvers: HandOver[];
  readonly suspended: string[];
  readonly withoutPlace: string[];
  /** They wait until somebody wakes them. */
  readonly held: string[];
  /** They wait until quiet hours are over, by when that is. */
  readonly quiet: Map<number, string[]>;
  /** Those handed over whose last answer is no longer waited for. */
  readonly givenUp: Set<string>;
}

/**
 * Messages whose next attempt, or whose decision after an unknown outcome, has come due. Every
 * check is made again in the transaction that commits the hand-over; the carrier is called after.
 */
export const dispatchLane: Lane<HandoverDeps> = {
  name: LANES.dispatch,
  loops: 2,
  nextDueAt: (deps) => earliestDue(deps, attemptsDue),
  async runDue(deps) {
    // Where the links are in another process, that one does all of it, and nobody stands in its way.
    if (isEverybody(deps.carriers.elsewhere())) return 0;
    let done = 0;
    for (const shard of await shardsDueNow(deps, attemptsDue))
      done += await dispatchChunk(deps, shard);
    return done;
  },
};

async function dispatchChunk(deps: HandoverDeps, shard: number): Promise<number> {
  const { sorted, count } = await txWithPlaces(deps, async (tx, places) => {
    const now = deps.clock.now();
    const at = new Date(now);
    const claimed = await tx.query<DueRow>(claimDueAttempts, [shard, at, ROWS_PER_CHUNK_MAX]);
    const due = fewOf(claimed);
    const ids = due.flatMap((row) => row.message_ids);
    const rows = await lockDue(deps, tx, shard, ids, now);
    const made = await sortChunk(deps, tx, shard, rows, places, now);
    await writeSorted(deps, tx, shard, made, now);
    const done = due.map((row) => row.id);
    if (done.length > 0) await tx.query(forgetDueAttempts, [shard, at, done]);
    return { sorted: made, count: due.length };
  });
  if (sorted.withoutPlace.length > 0) {
    deps.wakes.wakeAt(LANES.dispatch, deps.clock.now() + NO_PLACE_WAIT_MS);
  }
  await handOverForAWhile(deps, sorted.handOvers);
  return count;
}

/** The others are left for the next chunk. */
function fewOf(rows: readonly DueRow[]): DueRow[] {
  let messages = 0;
  return rows.filter((row, index) => {
    messages += row.message_ids.length;
    return index === 0 || messages <= MESSAGES_PER_CHUNK_MAX;
  });
}

interface Due {
  readonly messages: readonly DueMessage[];
  /** Which may not go, and what becomes of them. */
  readonly judged: Judgements;
}

/**
 * The messages that are due. Locks are taken in the order that all take them in: what follows the
 * messages, their accounts, the messages themselves. After that nobody else moves them.
 */
async function lockDue(
  deps: HandoverDeps,
  tx: Tx,
  shard: number,
  ids: readonly string[],
  now: number,
): Promise<Due> {
  const at = new Date(now);
  const found =
    ids.length === 0 ? [] : await tx.query<MessageRow>(findDueMessages, [shard, ids, at]);
  if (found.length === 0) return { messages: [], judged: new Map() };
  const judged = await deps.follower.judge(tx, shard, found, now);
  // Whoever opts somebody out holds the same lock: no text is handed over after that is committed.
  await tx.query(lockAccounts, [shard, [...new Set(found.map((row) => row.account_id))]]);
  const messages = await tx.query<DueMessage>(lockDueMessages, [
    shard,
    found.map((row) => row.id),
    at,
  ]);
  return { messages, judged };
}

/** A carrier that does not answer must not hold up the lane, nor who waits for it to run dry. */
async function handOverForAWhile(
  deps: HandoverDeps,
  handOvers: readonly HandOver[],
): Promise<void> {
  if (handOvers.length === 0) return;
  let forgo = () => {};
  const longEnough = new Promise<void>((resolve) => {
    forgo = deps.clock.after(ANSWER_WAIT_MS_MAX, resolve);
  });
  await Promise.race([handOverAll(deps, handOvers), longEnough]);
  forgo();
}

async function sortChunk(
  deps: HandoverDeps,
  tx: Tx,
  shard: number,
  { messages, judged }: Due,
  places: Places,
  now: number,
): Promise<Sorted> {
  const sorted: Sorted = {
    settlements: [],
    handOvers: [],
    suspended: [],
    withoutPlace: [],
    held: [],
    quiet: new Map(),
    givenUp: new Set(),
  };
  const optedOut = await optedOutAmong(tx, shard, messages);
  const quietEnds = await heldAmong(tx, shard, messages, now);
  for (const row of messages) {
    const verdict = judged.get(row.id);
    if (row.is_out) sortUnanswered(sorted, row, verdict !== undefined, places, now);
    else if (!sortWithoutTrying(sorted, row, verdict, quietEnds, now)) {
      const settled = await settledWithoutCarrier(deps, row, optedOut.has(row.id));
      if (settled) sorted.settlements.push(settled);
      else sortForHandOver(sorted, row, places, now);
    }
  }
  return sorted;
}

/** Plans what is not tried now: it expired, or who follows it, its account or the night keeps it back. */
function sortWithoutTrying(
  sorted: Sorted,
  row: DueMessage,
  verdict: "hold" | { readonly failure: FailureCode } | undefined,
  quietEnds: ReadonlyMap<string, number>,
  now: number,
): boolean {
  const quietEnd = quietEnds.get(row.id);
  const fail = (code: FailureCode) =>
    sorted.settlements.push(settlementOf(row, refusal(code), row.attempts));
  if (isOver(row, now)) fail("expired");
  else if (verdict === "hold") sorted.held.push(row.id);
  else if (verdict) fail(verdict.failure);
  else if (row.account_status === "suspended") sorted.suspended.push(row.id);
  else if (quietEnd !== undefined) {
    sorted.quiet.set(quietEnd, [...(sorted.quiet.get(quietEnd) ?? []), row.id]);
  } else return false;
  return true;
}

/** What the sender said it was worth sending for has passed. */
function isOver(row: MessageRow, now: number): boolean {
  return row.expires_at !== null && row.expires_at <= now;
}

/** A hand-over whose answer never came is decided. */
function sortUnanswered(
  sorted: Sorted,
  row: DueMessage,
  isJudged: boolean,
  places: Places,
  now: number,
): void {
  if (mayGoOutOnceMore(row) && !isJudged && !isOver(row, now))
    sortForHandOver(sorted, row, places, now);
  else sorted.settlements.push(settlementOf(row, OUTCOME_NEVER_KNOWN, row.attempts));
}

/**
 * A text is never sent again on a guess, with one exception: a code from the service's own numbers
 * whose answer was lost, once. The same code twice does no harm, and without it a person is locked out.
 */
function mayGoOutOnceMore(row: DueMessage): boolean {
  return row.from_service && !row.is_resent && row.account_status === "active";
}

/** What a message comes to without calling a carrier, or null when one is to be called. */
async function settledWithoutCarrier(
  deps: HandoverDeps,
  row: DueMessage,
  isOptedOut: boolean,
): Promise<Settlement | null> {
  const settle = (outcome: SubmitOutcome, attempt: number) => settlementOf(row, outcome, attempt);
  const next = row.attempts + 1;
  if (isOptedOut) return settle(refusal("recipient_opted_out"), row.attempts);
  if (isLateReply(deps, row)) return settle(refusal("expired"), row.attempts);
  if (!(await isStillOurs(deps, row))) return settle(refusal("sender_unavailable"), row.attempts);
  if (row.simulated) return settle(simulatedAnswer(deps, row, next), next);
  if (!deps.carriers.serves(row.from_number)) return settle(NO_CARRIER, next);
  return null;
}

function settlementOf(row: DueMessage, outcome: SubmitOutcome, attempt: number): Settlement {
  return { row, attempt, carrier: row.carrier, outcome, claim: null };
}

function sortForHandOver(sorted: Sorted, row: DueMessage, places: Places, now: number): void {
  const carrier = places.take(row.from_number);
  if (!carrier) {
    sorted.withoutPlace.push(row.id);
    return;
  }
  // As it is stored from now on: without an answer, what comes next is the decision.
  const next_attempt_at = now + decidedMsAfter(row);
  const handed = {
    ...row,
    attempts: row.attempts + 1,
    is_out: true,
    handed_at: now,
    next_attempt_at,
  };
  sorted.handOvers.push({ row: handed, carrier });
  if (row.is_out) sorted.givenUp.add(row.id);
}

async function writeSorted(
  deps: HandoverDeps,
  tx: Tx,
  shard: number,
  sorted: Sorted,
  now: number,
): Promise<void> {
  if (sorted.settlements.length > 0) await settleIn(deps, tx, shard, sorted.settlements);
  if (sorted.handOvers.length > 0) await commitHandOvers(deps, tx, shard, sorted, now);
  await postpone(tx, shard, sorted.held, null);
  for (const [endMs, ids] of sorted.quiet) await postpone(tx, shard, ids, endMs);
  await postpone(tx, shard, sorted.suspended, now + SUSPENDED_WAIT_MS);
  await postpone(tx, shard, sorted.withoutPlace, now + NO_PLACE_WAIT_MS);
}

/** The point of no return: what is committed here is given to the carriers after. */
async function commitHandOvers(
  deps: HandoverDeps,
  tx: Tx,
  shard: number,
  { handOvers, givenUp }: Sorted,
  now: number,
): Promise<void> {
  const at = new Date(now);
  const rows = handOvers.map(({ row }) => row);
  const items = handOvers.map(({ row, carrier }) => ({
    id: row.id,
    attempt: row.attempts,
    carrier: carrier.name,
    decided_at: row.next_attempt_at === null ? null : formatTimestamp(row.next_attempt_at),
    is_given_up: givenUp.has(row.id),
  }));
  if (givenUp.size > 0) await tx.query(giveUpAnswers, [shard, [...givenUp], at]);
  const ids = rows.map((row) => row.id);
  const handed = await tx.query(handOverAgain, [shard, JSON.stringify(items), at, ids]);
  assert(handed.length === rows.length, "a text that is out is not handed over again");
  await runSteps(tx, deps.follower.follow(shard, rows, now));
}

async function postpone(
  tx: Tx,
  shard: number,
  ids: readonly string[],
  untilMs: number | null,
): Promise<void> {
  const until = untilMs === null ? null : new Date(untilMs);
  if (ids.length > 0) await tx.query(postponeMessages, [shard, ids, until]);
}

async function optedOutAmong(
  tx: Tx,
  shard: number,
  rows: readonly DueMessage[],
): Promise<Set<string>> {
  // The service's own numbers are bound by a STOP to themselves alone.
  const asked = rows.filter((row) => !row.is_out && !row.from_service);
  if (asked.length === 0) return new Set();
  const items = asked.map(({ id, account_id, to_number, customer_id, auto_reply, created_at }) => ({
    id,
    account_id,
    to_number,
    customer_id,
    replied_at: auto_reply ? new Date(created_at) : null,
  }));
  const found = await tx.query<{ id: string }>(findOptedOut, [shard, JSON.stringify(items)]);
  return new Set(found.map((row) => row.id));
}

/** An answer to a keyword that comes late puzzles more than it tells. */
function isLateReply(deps: HandoverDeps, row: MessageRow): boolean {
  return row.auto_reply && deps.clock.now() - row.created_at > AUTO_REPLY_SECONDS_MAX * 1_000;
}

/** A number that was released, or fell into arrears, after the message was accepted sends no more. */
async function isStillOurs(deps: HandoverDeps, row: MessageRow): Promise<boolean> {
  if (row.from_service) return true;
  const number = await findSender(deps, { id: row.account_id, shard: row.shard }, row.from_number);
  return number !== null && !number.unpaid;
}

function refusal(failure: FailureCode): SubmitOutcome {
  return { kind: "refused", isTemporary: false, carrierCode: null, failure };
}

/** Without a carrier for its number a text is retried like any temporary failure. */
const NO_CARRIER: SubmitOutcome = {
  kind: "refused",
  isTemporary: true,
  carrierCode: NO_CARRIER_CODE,
};

function simulatedAnswer(deps: HandoverDeps, row: MessageRow, attempt: number): SubmitOutcome {
  const answer = simulatedHandOver(row.to_number, attempt);
  if (answer === "accept") {
    const receiptDueAtMs = row.from_service
      ? null
      : simulatedReceiptDueAt(row.to_number, deps.clock.now());
    return { kind: "accepted", references: [], receiptDueAtMs };
  }
  const isTemporary = answer === "temporary";
  const carrierCode = simulatedCarrierCode(isTemporary ? "temporary" : "carrier_rejected");
  return { kind: "refused", isTemporary, carrierCode };
}
