import { AUTO_REPLY_SECONDS_MAX, type FailureCode } from "@longwave/contract";
import { readAccounts } from "../../account/accounts/index.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { expect } from "../../core/platform/assert.ts";
import {
  type Carrier,
  isServiceNumber,
  type SubmitOutcome,
  simulatedCarrierCode,
  simulatedReceiptDueAt,
  simulatedSubmit,
} from "../../network/carriers/index.ts";
import type { Sender } from "../../network/numbers/index.ts";
import {
  capAtExpiry,
  type MessageRow,
  type Settlement,
  unansweredTimeoutMs,
} from "../messages/index.ts";
import { ChunkPace } from "./chunk-pace.ts";
import { consentRefusals } from "./consent-refusals.ts";
import type { OutboundDeps } from "./deps.ts";
import type { FollowerVerdict, FollowerVerdicts } from "./follower.ts";
import { type LeaveRefusal, readLeaveChecks, type SenderState } from "./may-leave.ts";
import { NO_CARRIER_CODE } from "./prepare.ts";
import { deferredAmong } from "./quiet-hours.ts";
import { OUTCOME_NEVER_KNOWN } from "./settle.ts";
import { sourceNumberOf } from "./source-number.ts";
import type { Submission } from "./submit.ts";
import type { WindowSlots } from "./window-slots.ts";

export type DueMessage = MessageRow & {
  /** True if an answer was lost before and the message was submitted again. */
  readonly is_resent: boolean;
};

/** Next step of each due message. */
export interface DispatchPlan {
  readonly settlements: Settlement[];
  readonly submissions: Submission[];
  /** Messages of batches that wait until their account may send again. */
  readonly closedAccounts: DueMessage[];
  readonly withoutSlot: string[];
  /** Suspended until a wake-up. */
  readonly suspended: string[];
  /** Deferred by quiet hours or their registration's limits, by the time at which these end. */
  readonly deferred: Map<number, string[]>;
  /** Submitted messages whose previous answer is given up. */
  readonly unansweredResends: Set<string>;
}

export interface DueMessages {
  readonly messages: readonly DueMessage[];
  /** Messages that followers suspend, fail, or send only with an opt-in. */
  readonly verdicts: FollowerVerdicts;
}

/** Decides the next step of each due and locked message. */
export async function triageDue(
  deps: OutboundDeps,
  tx: Tx,
  shard: number,
  { messages, verdicts }: DueMessages,
  slots: WindowSlots,
  now: number,
): Promise<DispatchPlan> {
  const plan: DispatchPlan = {
    settlements: [],
    submissions: [],
    closedAccounts: [],
    withoutSlot: [],
    suspended: [],
    deferred: new Map(),
    unansweredResends: new Set(),
  };
  const checks = await checksOf(deps, tx, shard, { messages, verdicts });
  const pace = new ChunkPace(deps);
  const deferralEnds = await deferredAmong(tx, shard, messages, now, deps.quietLaws.current());
  for (const [index, row] of messages.entries()) {
    const given = verdicts.get(row.id);
    const verdict = given === "needs_opt_in" ? undefined : given;
    const { refusal = null, sender = null } = checks[index] ?? {};
    const isRefused = verdict !== undefined || refusal !== null;
    if (row.awaiting_carrier) planUnanswered(deps, plan, row, isRefused, slots, now);
    else if (!planWithoutAttempt(plan, row, verdict, deferralEnds, refusal, now)) {
      const settled = settledWithoutCarrier(deps, row);
      if (settled) plan.settlements.push(settled);
      else await planPaced(deps, plan, row, sender, { slots, pace, now });
    }
  }
  return plan;
}

/** Whether each message may be sent now, and its number. */
async function checksOf(
  deps: OutboundDeps,
  tx: Tx,
  shard: number,
  { messages, verdicts }: DueMessages,
): Promise<SenderState[]> {
  if (messages.length === 0) return [];
  const accounts = await readAccounts(tx, [...new Set(messages.map((row) => row.account_id))]);
  const leaving = messages.map((row) => ({
    account: expect(accounts.get(row.account_id), "a message has no account"),
    mode: row.mode,
    from: row.from_number,
    to: row.to_number,
    customerId: row.customer_id,
    isFromService: row.from_service,
    repliedAtMs: row.auto_reply ? row.created_at : null,
  }));
  const states = await readLeaveChecks(deps, tx, shard, leaving);
  // Consent may have ended, or become required, while the message waited. Codes and automatic replies need none.
  const asked = messages.flatMap((row, index) =>
    states[index]?.refusal || row.auto_reply || row.verification_id !== null || row.from_service
      ? []
      : index,
  );
  const lacking = await consentRefusals(
    deps,
    tx,
    asked.map((index) => {
      const row = messages[index] as DueMessage;
      return {
        ...(leaving[index] as (typeof leaving)[number]),
        customerId: row.customer_id ?? states[index]?.sender?.customer_id ?? null,
        acceptedAtMs: row.created_at,
        isRequired: verdicts.get(row.id) === "needs_opt_in",
      };
    }),
  );
  const failures = new Map([...lacking].map(([position, code]) => [asked[position], code]));
  const stopped = await serviceStopsAmong(deps, tx, messages);
  return states.map((state, index) => {
    const failure = stopped.has(index) ? "recipient_opted_out" : failures.get(index);
    return failure === undefined ? state : { ...state, refusal: { failure, defersBatch: false } };
  });
}

/**
 * Indexes of real sandbox messages whose recipient has sent STOP to the service's number, which they leave from.
 * Consent of the account's own number says nothing about it.
 */
async function serviceStopsAmong(
  deps: OutboundDeps,
  tx: Tx,
  messages: readonly DueMessage[],
): Promise<ReadonlySet<number>> {
  const leaving = messages.flatMap((row, index) => {
    const isReal = row.mode === "test" && !row.simulated && !row.from_service;
    return isReal && isServiceNumber(deps, sourceNumberOf(deps, row)) ? index : [];
  });
  if (leaving.length === 0) return new Set();
  const phoneOf = (index: number) => messages[index]?.to_number ?? "";
  const stopped = await deps.stoppedService(tx, leaving.map(phoneOf));
  return new Set(leaving.filter((index) => stopped.has(phoneOf(index))));
}

/** Plans messages without an attempt: expired, suspended or failed by a follower, deferred or refused. */
function planWithoutAttempt(
  plan: DispatchPlan,
  row: DueMessage,
  verdict: Exclude<FollowerVerdict, "needs_opt_in"> | undefined,
  deferralEnds: ReadonlyMap<string, number>,
  refused: LeaveRefusal | null,
  now: number,
): boolean {
  const deferralEnd = deferralEnds.get(row.id);
  const fail = (code: FailureCode) =>
    plan.settlements.push(settlementOf(row, refusal(code), row.attempts));
  if (isExpired(row, now)) fail("expired");
  else if (verdict === "suspend") plan.suspended.push(row.id);
  else if (verdict) fail(verdict.failure);
  else if (deferralEnd !== undefined) defer(plan, row, deferralEnd);
  else if (refused?.defersBatch && row.batch_id !== null) plan.closedAccounts.push(row);
  else if (refused) fail(refused.failure);
  else return false;
  return true;
}

function isExpired(row: MessageRow, now: number): boolean {
  return row.expires_at !== null && row.expires_at <= now;
}

/** Decides a submit whose answer never came. */
function planUnanswered(
  deps: OutboundDeps,
  plan: DispatchPlan,
  row: DueMessage,
  isRefused: boolean,
  slots: WindowSlots,
  now: number,
): void {
  if (mayResend(row) && !isRefused && !isExpired(row, now)) planSubmit(deps, plan, row, slots, now);
  else plan.settlements.push(settlementOf(row, OUTCOME_NEVER_KNOWN, row.attempts));
}

/**
 * A message is never submitted again on a guess, with one exception.
 *
 * A code from the service's own numbers is submitted once more when its answer was lost. A duplicate code is
 * harmless; a missing one locks a person out.
 */
function mayResend(row: DueMessage): boolean {
  return row.from_service && !row.is_resent;
}

/** The settlement of a message that needs no carrier; null when one must be called. */
function settledWithoutCarrier(deps: OutboundDeps, row: DueMessage): Settlement | null {
  const settle = (outcome: SubmitOutcome, attempt: number) => settlementOf(row, outcome, attempt);
  const next = row.attempts + 1;
  if (isStaleReply(deps, row)) return settle(refusal("expired"), row.attempts);
  if (row.simulated) return settle(simulatedAnswer(deps, row, next), next);
  if (!deps.carriers.serves(sourceNumberOf(deps, row), row.to_number))
    return settle(NO_CARRIER, next);
  return null;
}

export function settlementOf(row: MessageRow, outcome: SubmitOutcome, attempt: number): Settlement {
  return { row, attempt, carrier: row.carrier, outcome, claim: null };
}

/** Carrier that refused the last attempt for now, or never answered it; null without one. */
function failedCarrierOf(row: DueMessage): string | null {
  return row.awaiting_carrier || row.carrier_code !== null ? row.carrier : null;
}

/** Submits a message whose number's registration has something left; otherwise the message waits. */
async function planPaced(
  deps: OutboundDeps,
  plan: DispatchPlan,
  row: DueMessage,
  sender: Sender | null,
  { slots, pace, now }: { slots: WindowSlots; pace: ChunkPace; now: number },
): Promise<void> {
  const carrier = slots.reserve(sourceNumberOf(deps, row), row.to_number, failedCarrierOf(row));
  if (!carrier) plan.withoutSlot.push(row.id);
  else {
    const freeAtMs = await pace.freeAt(row, sender);
    if (freeAtMs === null) planWith(plan, row, carrier, now);
    else {
      slots.release(carrier);
      defer(plan, row, capAtExpiry(row, freeAtMs));
    }
  }
}

function defer(plan: DispatchPlan, { id }: DueMessage, untilMs: number): void {
  plan.deferred.set(untilMs, [...(plan.deferred.get(untilMs) ?? []), id]);
}

function planSubmit(
  deps: OutboundDeps,
  plan: DispatchPlan,
  row: DueMessage,
  slots: WindowSlots,
  now: number,
): void {
  const source = sourceNumberOf(deps, row);
  const carrier = slots.reserve(source, row.to_number, failedCarrierOf(row));
  if (carrier) planWith(plan, row, carrier, now);
  else plan.withoutSlot.push(row.id);
}

function planWith(plan: DispatchPlan, row: DueMessage, carrier: Carrier, now: number): void {
  // Mirrors the stored row. Without an answer, the next due time is the decision on the outcome.
  const next_attempt_at = now + unansweredTimeoutMs(row);
  const submitted = {
    ...row,
    attempts: row.attempts + 1,
    awaiting_carrier: true,
    submitted_at: now,
    next_attempt_at,
  };
  plan.submissions.push({ row: submitted, carrier });
  if (row.awaiting_carrier) plan.unansweredResends.add(row.id);
}

/** A keyword reply that comes late confuses its recipient. */
function isStaleReply(deps: OutboundDeps, row: MessageRow): boolean {
  return row.auto_reply && deps.clock.now() - row.created_at > AUTO_REPLY_SECONDS_MAX * 1_000;
}

export function refusal(failure: FailureCode): SubmitOutcome {
  return { kind: "refused", isTemporary: false, carrierCode: null, failure };
}

/** A message whose number no carrier serves is retried like after a temporary failure. */
const NO_CARRIER: SubmitOutcome = {
  kind: "refused",
  isTemporary: true,
  carrierCode: NO_CARRIER_CODE,
};

function simulatedAnswer(deps: OutboundDeps, row: MessageRow, attempt: number): SubmitOutcome {
  const answer = simulatedSubmit(row.to_number, attempt);
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
