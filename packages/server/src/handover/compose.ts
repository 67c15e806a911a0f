import {
  countSegments,
  MESSAGE_RETRY_DELAYS_SECONDS,
  OUTCOME_UNKNOWN_SECONDS,
  PRICE_OUTBOUND_MICROS,
} from "@longwave/contract";
import type { AccountRow } from "../accounts/index.ts";
import {
  simulatedCarrierCode,
  simulatedHandOver,
  simulatedReceiptDueAt,
} from "../carriers/simulated-network.ts";
import type { NewMessage } from "./accept.ts";
import type { HandoverDeps as Deps } from "./deps.ts";
import { failedData, sentData } from "./message-events.ts";
import type { MessageRow } from "./message-row.ts";

/** What a text is to be, whoever asks for it: a request, a schedule, a batch, an automation. */
export interface Wanted {
  readonly account: AccountRow;
  readonly mode: "test" | "live";
  readonly from: string;
  readonly to: string;
  readonly body: string;
  readonly customerId: string | null;
  readonly poolId: string | null;
  readonly batchId?: string | null;
  readonly batchIndex?: number | null;
  readonly scheduledMessageId?: string | null;
  /** The verification whose code the text carries, masked in `body`. */
  readonly verificationId?: string | null;
  readonly autoReply?: boolean;
}

/** A row while it is drawn up. Filled in place: this is the hot path, and copies of it show. */
type Draft = { -readonly [K in keyof MessageRow]: MessageRow[K] };

/** The price of a text before any allowance, in micro-dollars. */
export function priceOf(deps: Pick<Deps, "config">, segments: number): number {
  return PRICE_OUTBOUND_MICROS * (deps.config.priceUnit === "segment" ? segments : 1);
}

/** A sandbox text: the simulated network decides at once, so it is written as it comes to stand. */
export function draftSimulated(deps: Pick<Deps, "clock" | "ids">, wanted: Wanted): NewMessage {
  const now = deps.clock.now();
  const row = draftRow(deps, wanted, now);
  row.simulated = true;
  row.attempts = 1;
  simulateHandOver(row, now);
  return {
    row,
    isBillable: false,
    quota: null,
    skipsConsent: wanted.autoReply === true,
    event: simulatedEvent(row),
    claim: null,
    handsOver: false,
  };
}

function simulateHandOver(row: Draft, now: number): void {
  const answer = simulatedHandOver(row.to_number, 1);
  if (answer === "accept") {
    row.status = "sent";
    row.sent_at = now;
    row.receipt_due_at = simulatedReceiptDueAt(row.to_number, now);
  } else if (answer === "refuse") {
    row.status = "failed";
    row.failed_at = now;
    row.failure_code = "carrier_rejected";
    row.carrier_code = simulatedCarrierCode("carrier_rejected");
  } else {
    row.next_attempt_at = now + retryDelayMs(1);
    row.carrier_code = simulatedCarrierCode("temporary");
  }
}

function simulatedEvent(row: MessageRow): NewMessage["event"] {
  if (row.status === "sent") return { type: "message.sent", data: sentData(row) };
  if (row.status === "failed") {
    return { type: "message.failed", data: failedData(row, "carrier_rejected", row.carrier_code) };
  }
  return null;
}

/**
 * A live text. With a carrier that has a place for it, the write is also the hand-over: until the
 * answer comes the outcome is unknown, and is decided after 15 minutes. Without one it waits for
 * the dispatcher, due at once.
 */
export function draftLive(
  deps: Deps,
  wanted: Wanted,
  carrier: string | null,
  isFree: boolean,
): NewMessage {
  const now = deps.clock.now();
  const row = draftRow(deps, wanted, now);
  row.price_micros = isFree ? 0 : priceOf(deps, row.segments);
  row.carrier = carrier;
  row.attempts = carrier === null ? 0 : 1;
  row.next_attempt_at = carrier === null ? now : now + OUTCOME_UNKNOWN_SECONDS * 1_000;
  return {
    row,
    isBillable: !isFree,
    quota: isFree ? null : wanted.account.daily_message_quota,
    skipsConsent: wanted.autoReply === true,
    event: null,
    claim: null,
    handsOver: carrier !== null,
  };
}

function draftRow(deps: Pick<Deps, "ids">, wanted: Wanted, now: number): Draft {
  const { encoding, segments } = countSegments(wanted.body);
  return {
    shard: wanted.account.shard,
    account_id: wanted.account.id,
    id: deps.ids.makeAt(now),
    direction: "outbound",
    status: "queued",
    mode: wanted.mode,
    from_number: wanted.from,
    to_number: wanted.to,
    body: wanted.body,
    encoding,
    segments,
    price_micros: 0,
    billing: "none",
    simulated: false,
    auto_reply: wanted.autoReply ?? false,
    customer_id: wanted.customerId,
    pool_id: wanted.poolId,
    batch_id: wanted.batchId ?? null,
    batch_index: wanted.batchIndex ?? null,
    scheduled_message_id: wanted.scheduledMessageId ?? null,
    verification_id: wanted.verificationId ?? null,
    attempts: 0,
    next_attempt_at: null,
    receipt_due_at: null,
    failure_code: null,
    carrier_code: null,
    carrier: null,
    created_at: now,
    sent_at: null,
    delivered_at: null,
    failed_at: null,
  };
}

/** How long after the n-th failed attempt the next one is made; null when it was the last. */
export function retryDelayMsAfter(attempt: number): number | null {
  const seconds = MESSAGE_RETRY_DELAYS_SECONDS[attempt - 1];
  return seconds === undefined ? null : seconds * 1_000;
}

function retryDelayMs(attempt: number): number {
  return retryDelayMsAfter(attempt) ?? 0;
}

/** The row as it stands after it was accepted. */
export function acceptedRow(
  item: NewMessage,
  accepted: { costMicros: number; billing: MessageRow["billing"] },
): MessageRow {
  return { ...item.row, price_micros: accepted.costMicros, billing: accepted.billing };
}
