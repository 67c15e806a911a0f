import { countSegments, type FailureCode, NO_QUIET_HOURS, smartEncoded } from "@longwave/contract";
import { dailyQuotaOf } from "../../account/accounts/index.ts";
import { tariffOf } from "../../account/billing/index.ts";
import type { Base } from "../../core/base.ts";
import type { AccountRow } from "../../http/api/caller.ts";
import {
  simulatedCarrierCode,
  simulatedReceiptDueAt,
  simulatedSubmit,
} from "../../network/carriers/simulated-network.ts";
import { findSender } from "../../network/numbers/index.ts";
import type { PacedMessage } from "../../network/registrations/index.ts";
import {
  type Accepted,
  capAtExpiry,
  failedData,
  type MessageRow,
  type PreparedMessage,
  retryDelayMsAfter,
  type StoredEncoding,
  sentData,
  unansweredTimeoutMs,
} from "../messages/index.ts";
import type { OutboundDeps } from "./deps.ts";
import { deferralOf, inContactZone, quietHoursOf } from "./quiet-hours.ts";
import type { OutboundRequest } from "./request.ts";
import { countRealSend, usesRealCarrier } from "./resolve-sender.ts";
import { sourceNumberOf } from "./source-number.ts";
import type { Submission } from "./submit.ts";
import type { WindowSlots } from "./window-slots.ts";

/** Stored as the carrier's code when no carrier serves the number. */
export const NO_CARRIER_CODE = "no_carrier";

/** A row under construction. Filled in place: this is the hot path, and copying rows is measurable. */
type DraftRow = { -readonly [K in keyof MessageRow]: MessageRow[K] };

/**
 * Turns a request into a message to store, with a window slot if a carrier has one.
 *
 * Every sender goes through `prepare`. Afterwards `acceptIn` or the message writer stores the message, and after
 * the commit the caller submits the result of `submissionsOf`.
 */
export async function prepare(
  deps: OutboundDeps,
  given: OutboundRequest,
  slots: WindowSlots,
): Promise<PreparedMessage> {
  const isReal =
    given.usesRealCarrier ??
    ((await usesRealCarrier(deps, given)) && (await countRealSend(deps, given)));
  const request = quietHoursOf(given) === null ? given : await inContactZone(deps, given);
  const deferral = quietHoursOf(request) === null ? null : await deferralOf(deps, request);
  if (typeof deferral === "number") return prepareDeferred(deps, request, isReal, deferral);
  const effective = deferral === "answer" ? { ...request, quietHours: NO_QUIET_HOURS } : request;
  if (!isReal) return prepareSimulated(deps, effective);
  const message = prepareLive(deps, effective, slots);
  return message.carrier === null || message.row.mode === "test"
    ? message
    : await keepToRegistration(deps, effective, message, slots);
}

/** Gives the slot back where the number's registration has used up what networks granted it. */
async function keepToRegistration(
  deps: OutboundDeps,
  { account, from }: OutboundRequest,
  message: PreparedMessage,
  slots: WindowSlots,
): Promise<PreparedMessage> {
  const { row, carrier } = message;
  if (row.from_service || carrier === null) return message;
  const registrationId = (await findSender(deps, account, from))?.registration_id ?? null;
  const freeAtMs = await deps.registrationPace.take(account, registrationId, pacedOf(row));
  if (freeAtMs === null) return message;
  slots.release(carrier);
  const waiting = {
    ...row,
    ...{ carrier: null, attempts: 0, awaiting_carrier: false, submitted_at: null },
    next_attempt_at: capAtExpiry(row, freeAtMs),
  };
  return { ...message, row: waiting, carrier: null };
}

/** A message as the pace of its number's registration counts it. */
export function pacedOf(row: MessageRow): PacedMessage {
  const waits = !row.auto_reply && row.verification_id === null;
  return { to: row.to_number, segments: row.segments, waits };
}

/** Prepares a message that quiet hours defer. The dispatcher makes its first attempt when they end. */
function prepareDeferred(
  deps: OutboundDeps,
  request: OutboundRequest,
  isReal: boolean,
  untilMs: number,
): PreparedMessage {
  const row = draftRow(deps, request, deps.clock.now());
  row.simulated = !isReal;
  row.next_attempt_at = capAtExpiry(row, untilMs);
  const isCounted = isReal && countsAsLive(request, row);
  const isBillable = isCounted && deps.config.billing === "on";
  row.price_micros = isBillable ? priceOf(deps, request, row.segments) : 0;
  return {
    row,
    isBillable,
    quota: isCounted ? dailyQuotaOf(deps.config, request.account) : null,
    skipsConsent: false,
    event: null,
    claim: null,
    carrier: null,
    receiptDueAt: null,
  };
}

/** Codes are billed when they are checked; auto-replies and sandbox messages are free. */
function countsAsLive(request: OutboundRequest, row: MessageRow): boolean {
  return request.mode === "live" && !row.auto_reply && row.verification_id === null;
}

/** Submissions to make after the commit: accepted messages with a window slot. Releases the slots of refused ones. */
export function submissionsOf(
  messages: readonly PreparedMessage[],
  accepted: readonly Accepted[],
  slots: WindowSlots,
): Submission[] {
  const submissions: Submission[] = [];
  for (const [index, message] of messages.entries()) {
    const { carrier } = message;
    if (carrier === null) continue;
    const result = accepted[index];
    if (result?.verdict !== "accepted") slots.release(carrier);
    else submissions.push({ row: acceptedRow(message, result), carrier });
  }
  return submissions;
}

export function acceptedRow(prepared: PreparedMessage, accepted: Accepted): MessageRow {
  return { ...prepared.row, price_micros: accepted.costMicros, billing: accepted.billing };
}

/** Price of a message before any allowance, in micro-dollars. */
export function priceOf(
  deps: Pick<Base, "config" | "destinations" | "prices">,
  { from, to }: Pick<OutboundRequest, "from" | "to">,
  segments: number,
): number {
  const unit = deps.prices.priceOf("outbound", () => tariffOf(deps, to, from));
  return unit * (deps.config.priceUnit === "segment" ? segments : 1);
}

/** Prepares a sandbox message. The simulated network answers at once, so the row is stored in its outcome. */
export function prepareSimulated(
  deps: Pick<Base, "clock" | "ids">,
  request: OutboundRequest,
): PreparedMessage {
  const now = deps.clock.now();
  const row = draftRow(deps, request, now);
  row.simulated = true;
  row.attempts = 1;
  const receiptDueAt = simulateSubmit(row, now);
  return {
    row,
    receiptDueAt,
    isBillable: false,
    quota: null,
    skipsConsent: skipsConsent(row),
    event: simulatedEvent(row),
    claim: null,
    carrier: null,
  };
}

/** Prepares a message that fails without an attempt: stored as failed, free of charge, with its reason. */
export function prepareFailed(
  deps: Pick<Base, "clock" | "ids">,
  request: OutboundRequest,
  failure: FailureCode,
): PreparedMessage {
  const now = deps.clock.now();
  const row = draftRow(deps, request, now);
  row.simulated = request.mode === "test";
  row.status = "failed";
  row.failed_at = now;
  row.failure_code = failure;
  row.expires_at = null;
  row.quiet_hours = null;
  return {
    row,
    receiptDueAt: null,
    isBillable: false,
    quota: null,
    skipsConsent: true,
    event: { type: "message.failed", data: failedData(row, failure, null) },
    claim: null,
    carrier: null,
  };
}

/** Applies the simulated network's answer to the row; returns the due time of its receipt, if any. */
function simulateSubmit(row: DraftRow, now: number): number | null {
  const answer = simulatedSubmit(row.to_number, 1);
  if (answer === "accept") {
    row.status = "sent";
    row.sent_at = now;
    return row.from_service ? null : simulatedReceiptDueAt(row.to_number, now);
  }
  if (answer === "refuse") {
    row.status = "failed";
    row.failed_at = now;
    row.failure_code = "carrier_rejected";
    row.carrier_code = simulatedCarrierCode("carrier_rejected");
  } else {
    row.next_attempt_at = capAtExpiry(row, now + (retryDelayMsAfter(row, 1) ?? 0));
    row.carrier_code = simulatedCarrierCode("temporary");
  }
  return null;
}

/** Keyword replies answer their recipient; the start of a verification has already checked consent. */
function skipsConsent(row: MessageRow): boolean {
  return row.auto_reply || row.verification_id !== null;
}

function simulatedEvent(row: MessageRow): PreparedMessage["event"] {
  if (row.from_service) return null;
  if (row.status === "sent") return { type: "message.sent", data: sentData(row) };
  if (row.status === "failed") {
    return { type: "message.failed", data: failedData(row, "carrier_rejected", row.carrier_code) };
  }
  return null;
}

/**
 * Prepares a message for a real carrier.
 *
 * With a reserved window slot, storing the message also commits its submit. The outcome stays unknown until the
 * carrier answers or `unansweredTimeoutMs` passes. Without a slot the message is due for the dispatcher at once.
 * If no carrier serves the number, that counts as the first attempt.
 */
function prepareLive(
  deps: OutboundDeps,
  request: OutboundRequest,
  slots: WindowSlots,
): PreparedMessage {
  const now = deps.clock.now();
  const row = draftRow(deps, request, now);
  const source = sourceNumberOf(deps, row);
  const carrier = slots.reserve(source, row.to_number);
  const isCounted = countsAsLive(request, row);
  const isBillable = isCounted && deps.config.billing === "on";
  row.price_micros = isBillable ? priceOf(deps, request, row.segments) : 0;
  if (carrier) {
    row.carrier = carrier.name;
    row.attempts = 1;
    row.awaiting_carrier = true;
    row.submitted_at = now;
    row.next_attempt_at = now + unansweredTimeoutMs(row);
  } else if (deps.carriers.serves(source, row.to_number)) row.next_attempt_at = now;
  else {
    row.attempts = 1;
    row.carrier_code = NO_CARRIER_CODE;
    row.next_attempt_at = capAtExpiry(row, now + (retryDelayMsAfter(row, 1) ?? 0));
  }
  return {
    row,
    isBillable,
    quota: isCounted ? dailyQuotaOf(deps.config, request.account) : null,
    skipsConsent: skipsConsent(row),
    event: null,
    claim: null,
    carrier,
    receiptDueAt: null,
  };
}

/** A body as sent: smart encoding may have replaced typographic characters. */
export interface EncodedBody {
  readonly body: string;
  readonly encoding: StoredEncoding;
  readonly segments: number;
  readonly ucs2Characters: readonly string[];
}

export function encodeBody(account: Pick<AccountRow, "smart_encoding">, body: string): EncodedBody {
  const smart = account.smart_encoding ? smartEncoded(body) : null;
  if (smart !== null) return { ...countSegments(smart), body: smart, encoding: "gsm7_smart" };
  return { ...countSegments(body), body };
}

/** The body with typographic characters replaced; null where it stays as given. */
function smartBodyOf({ account, verificationId = null, body }: OutboundRequest): string | null {
  // Codes keep their exact characters, so that masking finds them.
  return account.smart_encoding && verificationId === null ? smartEncoded(body) : null;
}

function draftRow(deps: Pick<Base, "ids">, request: OutboundRequest, now: number): DraftRow {
  const smart = smartBodyOf(request);
  const body = smart ?? request.body;
  const { encoding, segments } = countSegments(body);
  return {
    shard: request.account.shard,
    account_id: request.account.id,
    id: request.id ?? deps.ids.makeAt(now),
    direction: "outbound",
    status: "queued",
    mode: request.mode,
    from_number: request.from,
    to_number: request.to,
    body,
    encoding: smart === null ? encoding : "gsm7_smart",
    segments,
    price_micros: 0,
    billing: "none",
    simulated: false,
    auto_reply: request.autoReply ?? false,
    customer_id: request.customerId,
    pool_id: request.poolId,
    batch_id: request.batchId ?? null,
    batch_index: request.batchIndex ?? null,
    scheduled_message_id: request.scheduledMessageId ?? null,
    schedule_id: request.scheduleId ?? null,
    run_id: request.runId ?? null,
    verification_id: request.verificationId ?? null,
    from_service: request.fromService ?? false,
    expires_at: request.expiresAtMs ?? null,
    quiet_hours: quietHoursOf(request),
    metadata: request.metadata ?? null,
    attempts: 0,
    awaiting_carrier: false,
    submitted_at: null,
    next_attempt_at: null,
    failure_code: null,
    carrier_code: null,
    carrier: null,
    created_at: now,
    sent_at: null,
    delivered_at: null,
    failed_at: null,
  };
}
