import { AUTO_REPLY_SECONDS_MAX, type FailureCode } from "@longwave/contract";
import {
  type SubmitOutcome,
  simulatedCarrierCode,
  simulatedHandOver,
  simulatedReceiptDueAt,
} from "../carriers/index.ts";
import type { Tx } from "../db/database.ts";
import { findSender } from "../numbers/index.ts";
import { NO_CARRIER_CODE } from "./compose.ts";
import type { HandoverDeps } from "./deps.ts";
import { decidedMsAfter } from "./due-times.ts";
import type { Judgements } from "./follower.ts";
import type { HandOver } from "./hand-over.ts";
import type { MessageRow } from "./message.ts";
import type { Places } from "./places.ts";
import { heldAmong } from "./quiet.ts";
import { OUTCOME_NEVER_KNOWN } from "./settle.ts";
import { findOptedOut } from "./sql.ts";
import type { Settlement } from "./stages.ts";

export type DueMessage = MessageRow & {
  readonly account_status: "active" | "suspended";
  /** Whether an answer was lost once already, and the text went out again. */
  readonly is_resent: boolean;
};

/** What is to be done with each message of a set. */
export interface Sorted {
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

export interface Due {
  readonly messages: readonly DueMessage[];
  /** Which may not go, and what becomes of them. */
  readonly judged: Judgements;
}

/** Decides what is to be done with each of the messages that are due and locked. */
export async function sortDue(
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

export function settlementOf(row: MessageRow, outcome: SubmitOutcome, attempt: number): Settlement {
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

export function refusal(failure: FailureCode): SubmitOutcome {
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
