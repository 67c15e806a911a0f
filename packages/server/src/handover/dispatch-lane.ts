import { AUTO_REPLY_SECONDS_MAX, type FailureCode } from "@longwave/contract";
import {
  type SubmitOutcome,
  simulatedCarrierCode,
  simulatedHandOver,
  simulatedReceiptDueAt,
} from "../carriers/index.ts";
import type { Tx } from "../db/database.ts";
import { findSender } from "../numbers/index.ts";
import { earliestDue, shardsDueNow } from "../queue/due-shards.ts";
import type { Lane } from "../queue/lane.ts";
import { LANES } from "../queue/lane-names.ts";
import { iso } from "./accept.ts";
import { decidedMsAfter, NO_CARRIER_CODE } from "./compose.ts";
import type { HandoverDeps } from "./deps.ts";
import { runSteps } from "./follower.ts";
import { ANSWER_WAIT_MS_MAX, type HandOver, handOverAll } from "./hand-over.ts";
import type { MessageRow } from "./message-row.ts";
import { type Places, txWithPlaces } from "./places.ts";
import { OUTCOME_NEVER_KNOWN, type Settlement, settleIn } from "./settle.ts";
import {
  claimDueMessages,
  findOptedOut,
  giveUpAnswers,
  handOverAgain,
  lockAccounts,
  messagesDue,
  postponeMessages,
} from "./sql.ts";

const MESSAGES_PER_CHUNK_MAX = 500;
/** How long a message waits when its account is suspended, or when no link has a place for it. */
const SUSPENDED_WAIT_MS = 60_000;
const NO_PLACE_WAIT_MS = 200;

type DueRow = MessageRow & {
  readonly account_status: "active" | "suspended";
  readonly live_attempt: "open" | "unknown" | null;
  /** Whether an answer was lost once already, and the text went out again. */
  readonly is_resent: boolean;
};

/** What is to be done with each message of a chunk. */
interface Plan {
  readonly settlements: Settlement[];
  readonly handOvers: HandOver[];
  readonly suspended: string[];
  readonly withoutPlace: string[];
  /** They wait until somebody wakes them. */
  readonly held: string[];
}

/**
 * Messages whose next attempt, or whose decision after an unknown outcome, has come due. Every
 * check is made again in the transaction that commits the hand-over; the carrier is called after.
 */
export const dispatchLane: Lane<HandoverDeps> = {
  name: LANES.dispatch,
  loops: 2,
  nextDueAt: (deps) => earliestDue(deps, messagesDue),
  async runDue(deps) {
    let done = 0;
    for (const shard of await shardsDueNow(deps, messagesDue))
      done += await dispatchChunk(deps, shard);
    return done;
  },
};

async function dispatchChunk(deps: HandoverDeps, shard: number): Promise<number> {
  const { plan, count } = await txWithPlaces(deps, async (tx, places) => {
    const now = deps.clock.now();
    const rows = await tx.query<DueRow>(claimDueMessages, [
      shard,
      new Date(now),
      MESSAGES_PER_CHUNK_MAX,
    ]);
    const made = await planChunk(deps, tx, shard, rows, places, now);
    await writePlan(deps, tx, shard, made, now);
    return { plan: made, count: rows.length };
  });
  if (plan.withoutPlace.length > 0) {
    deps.wakes.wakeAt(LANES.dispatch, deps.clock.now() + NO_PLACE_WAIT_MS);
  }
  await handOverForAWhile(deps, plan.handOvers);
  return count - plan.withoutPlace.length;
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

async function planChunk(
  deps: HandoverDeps,
  tx: Tx,
  shard: number,
  rows: readonly DueRow[],
  places: Places,
  now: number,
): Promise<Plan> {
  const plan: Plan = { settlements: [], handOvers: [], suspended: [], withoutPlace: [], held: [] };
  const judged = await deps.follower.judge(tx, shard, rows, now);
  const optedOut = await optedOutAmong(tx, shard, rows);
  for (const row of rows) {
    const verdict = judged.get(row.id);
    if (row.live_attempt !== null) planUnanswered(plan, row, verdict !== undefined, places, now);
    else if (!planWithoutTrying(plan, row, verdict, now)) {
      const settled = await settledWithoutCarrier(deps, row, optedOut.has(row.id));
      if (settled) plan.settlements.push(settled);
      else planHandOver(plan, row, places, now);
    }
  }
  return plan;
}

/** Plans what is not tried now: it expired, or who follows it or its account keeps it back. */
function planWithoutTrying(
  plan: Plan,
  row: DueRow,
  verdict: "hold" | { readonly failure: FailureCode } | undefined,
  now: number,
): boolean {
  const fail = (code: FailureCode) =>
    plan.settlements.push(settlementOf(row, refusal(code), row.attempts));
  if (isOver(row, now)) fail("expired");
  else if (verdict === "hold") plan.held.push(row.id);
  else if (verdict) fail(verdict.failure);
  else if (row.account_status === "suspended") plan.suspended.push(row.id);
  else return false;
  return true;
}

/** What the sender said it was worth sending for has passed. */
function isOver(row: MessageRow, now: number): boolean {
  return row.expires_at !== null && row.expires_at <= now;
}

/** A hand-over whose answer never came is decided. */
function planUnanswered(
  plan: Plan,
  row: DueRow,
  isJudged: boolean,
  places: Places,
  now: number,
): void {
  if (mayGoOutOnceMore(row) && !isJudged) planHandOver(plan, row, places, now);
  else plan.settlements.push(settlementOf(row, OUTCOME_NEVER_KNOWN, row.attempts));
}

/**
 * A text is never sent again on a guess, with one exception: a code from the service's own numbers
 * whose answer was lost, once. The same code twice does no harm, and without it a person is locked out.
 */
function mayGoOutOnceMore(row: DueRow): boolean {
  return row.from_service && !row.is_resent && row.account_status === "active";
}

/** What a message comes to without calling a carrier, or null when one is to be called. */
async function settledWithoutCarrier(
  deps: HandoverDeps,
  row: DueRow,
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

function settlementOf(row: DueRow, outcome: SubmitOutcome, attempt: number): Settlement {
  return { row, attempt, carrier: row.carrier, outcome, claim: null };
}

function planHandOver(plan: Plan, row: DueRow, places: Places, now: number): void {
  const carrier = places.take(row.from_number);
  if (!carrier) {
    plan.withoutPlace.push(row.id);
    return;
  }
  // As it is stored from now on: without an answer, what comes next is the decision.
  const next_attempt_at = now + decidedMsAfter(row);
  const handed = { ...row, attempts: row.attempts + 1, next_attempt_at };
  plan.handOvers.push({ row: handed, carrier });
}

async function writePlan(
  deps: HandoverDeps,
  tx: Tx,
  shard: number,
  plan: Plan,
  now: number,
): Promise<void> {
  if (plan.settlements.length > 0) await settleIn(deps, tx, shard, plan.settlements);
  if (plan.handOvers.length > 0) {
    const items = plan.handOvers.map(({ row, carrier }) => ({
      account_id: row.account_id,
      id: row.id,
      attempt: row.attempts,
      carrier: carrier.name,
      decided_at: iso(row.next_attempt_at),
    }));
    const rows = plan.handOvers.map(({ row }) => row);
    const resent = rows.filter((row) => row.from_service).map((row) => row.id);
    if (resent.length > 0) await tx.query(giveUpAnswers, [shard, resent]);
    await tx.query(handOverAgain, [shard, JSON.stringify(items), new Date(now)]);
    await runSteps(tx, deps.follower.follow(shard, rows, now));
  }
  await postpone(tx, shard, plan.held, null);
  await postpone(tx, shard, plan.suspended, now + SUSPENDED_WAIT_MS);
  await postpone(tx, shard, plan.withoutPlace, now + NO_PLACE_WAIT_MS);
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

async function optedOutAmong(tx: Tx, shard: number, rows: readonly DueRow[]): Promise<Set<string>> {
  // The service's own numbers are bound by a STOP to themselves alone.
  const asked = rows.filter((row) => row.live_attempt === null && !row.from_service);
  if (asked.length === 0) return new Set();
  const items = asked.map(({ id, account_id, to_number, customer_id, auto_reply, created_at }) => ({
    id,
    account_id,
    to_number,
    customer_id,
    replied_at: auto_reply ? new Date(created_at) : null,
  }));
  // Whoever opts somebody out holds the same lock: no text is handed over after that is committed.
  const accounts = [...new Set(asked.map((row) => row.account_id))];
  await tx.query(lockAccounts, [shard, accounts]);
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
