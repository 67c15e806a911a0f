import {
  countSegments,
  NO_QUIET_HOURS,
  PRICE_OUTBOUND_MICROS,
  smartEncoded,
} from "@longwave/contract";
import type { AccountRow } from "../api/caller.ts";
import type { Base } from "../base.ts";
import {
  simulatedCarrierCode,
  simulatedHandOver,
  simulatedReceiptDueAt,
} from "../carriers/simulated-network.ts";
import type { HandoverDeps } from "./deps.ts";
import { decidedMsAfter, inTime, retryDelayMsAfter } from "./due-times.ts";
import type { HandOver } from "./hand-over.ts";
import { failedData, type MessageRow, type StoredEncoding, sentData } from "./message.ts";
import { leavesForReal } from "./parties.ts";
import type { Places } from "./places.ts";
import { holdOf, quietHoursOf } from "./quiet.ts";
import type { Accepted, Composed, Wanted } from "./stages.ts";

/** Stands for the carrier's word where no carrier serves the number. */
export const NO_CARRIER_CODE = "no_carrier";

/** A row while it is drawn up. Filled in place: this is the hot path, and copies of it show. */
type Unwritten = { -readonly [K in keyof MessageRow]: MessageRow[K] };

/**
 * What is wanted becomes a message to be written, with a place where a carrier has one. Everything
 * that sends a text comes through here: then `acceptIn` or the message writer writes it, and what
 * `handOversOf` answers is given to the carriers once that is committed.
 */
export async function compose(
  deps: HandoverDeps,
  wanted: Wanted,
  places: Places,
): Promise<Composed> {
  const leaves = wanted.leaves ?? (await leavesForReal(deps, wanted));
  const hold = quietHoursOf(wanted) === null ? null : await holdOf(deps, wanted);
  if (typeof hold === "number") return composeHeld(deps, wanted, leaves, hold);
  const asked = hold === "answer" ? { ...wanted, quietHours: NO_QUIET_HOURS } : wanted;
  if (leaves) return composeLive(deps, asked, places);
  return composeSimulated(deps, asked);
}

/** A text that quiet hours hold: the dispatcher makes its first attempt when they are over. */
function composeHeld(
  deps: HandoverDeps,
  wanted: Wanted,
  leaves: boolean,
  untilMs: number,
): Composed {
  const row = rowOf(deps, wanted, deps.clock.now());
  row.simulated = !leaves;
  row.next_attempt_at = inTime(row, untilMs);
  const isBillable = leaves && isPaidFor(wanted, row);
  row.price_micros = isBillable ? priceOf(deps, row.segments) : 0;
  return {
    row,
    isBillable,
    quota: isBillable ? wanted.account.daily_message_quota : null,
    skipsConsent: false,
    event: null,
    claim: null,
    carrier: null,
    receiptDueAt: null,
  };
}

/** A code is paid for when it is checked, an answer to a keyword never, and the sandbox is free. */
function isPaidFor(wanted: Wanted, row: MessageRow): boolean {
  return wanted.mode === "live" && !row.auto_reply && row.verification_id === null;
}

/**
 * What is left to do once these are committed: those accepted are given to their carriers. The places
 * of the others are given back.
 */
export function handOversOf(
  texts: readonly Composed[],
  accepted: readonly Accepted[],
  places: Places,
): HandOver[] {
  const handOvers: HandOver[] = [];
  for (const [index, text] of texts.entries()) {
    const { carrier } = text;
    if (carrier === null) continue;
    const result = accepted[index];
    if (result?.verdict !== "accepted") places.giveBack(carrier);
    else handOvers.push({ row: acceptedRow(text, result), carrier });
  }
  return handOvers;
}

/** The row as it stands after it was accepted. */
export function acceptedRow(composed: Composed, accepted: Accepted): MessageRow {
  return { ...composed.row, price_micros: accepted.costMicros, billing: accepted.billing };
}

/** The price of a text before any allowance, in micro-dollars. */
export function priceOf(deps: Pick<Base, "config">, segments: number): number {
  return PRICE_OUTBOUND_MICROS * (deps.config.priceUnit === "segment" ? segments : 1);
}

/** A sandbox text: the simulated network decides at once, so it is written as it comes to stand. */
export function composeSimulated(deps: Pick<Base, "clock" | "ids">, wanted: Wanted): Composed {
  const now = deps.clock.now();
  const row = rowOf(deps, wanted, now);
  row.simulated = true;
  row.attempts = 1;
  const receiptDueAt = simulateHandOver(row, now);
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

/** Answers when the receipt comes, if one does. */
function simulateHandOver(row: Unwritten, now: number): number | null {
  const answer = simulatedHandOver(row.to_number, 1);
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
    row.next_attempt_at = inTime(row, now + (retryDelayMsAfter(row, 1) ?? 0));
    row.carrier_code = simulatedCarrierCode("temporary");
  }
  return null;
}

/** Answers to keywords go to whoever texted; who gets a code was judged by its start. */
function skipsConsent(row: MessageRow): boolean {
  return row.auto_reply || row.verification_id !== null;
}

function simulatedEvent(row: MessageRow): Composed["event"] {
  if (row.from_service) return null;
  if (row.status === "sent") return { type: "message.sent", data: sentData(row) };
  if (row.status === "failed") {
    return { type: "message.failed", data: failedData(row, "carrier_rejected", row.carrier_code) };
  }
  return null;
}

/**
 * A text that leaves. With a carrier that has a place for it, the write is also the hand-over: until
 * the answer comes the outcome is unknown, and is decided some time later. Without one it waits for
 * the dispatcher, due at once; where no carrier serves the number, that was its first attempt.
 */
function composeLive(deps: HandoverDeps, wanted: Wanted, places: Places): Composed {
  const now = deps.clock.now();
  const row = rowOf(deps, wanted, now);
  const carrier = places.take(wanted.from);
  const isBillable = isPaidFor(wanted, row);
  row.price_micros = isBillable ? priceOf(deps, row.segments) : 0;
  if (carrier) {
    row.carrier = carrier.name;
    row.attempts = 1;
    row.is_out = true;
    row.handed_at = now;
    row.next_attempt_at = now + decidedMsAfter(row);
  } else if (deps.carriers.serves(wanted.from)) row.next_attempt_at = now;
  else {
    row.attempts = 1;
    row.carrier_code = NO_CARRIER_CODE;
    row.next_attempt_at = inTime(row, now + (retryDelayMsAfter(row, 1) ?? 0));
  }
  return {
    row,
    isBillable,
    quota: isBillable ? wanted.account.daily_message_quota : null,
    skipsConsent: skipsConsent(row),
    event: null,
    claim: null,
    carrier,
    receiptDueAt: null,
  };
}

/** A text as it is sent: the account may have typographic characters replaced. */
export interface Written {
  readonly body: string;
  readonly encoding: StoredEncoding;
  readonly segments: number;
  readonly ucs2Characters: readonly string[];
}

export function writtenFor(account: Pick<AccountRow, "smart_encoding">, body: string): Written {
  const smart = account.smart_encoding ? smartEncoded(body) : null;
  if (smart !== null) return { ...countSegments(smart), body: smart, encoding: "gsm7_smart" };
  return { ...countSegments(body), body };
}

function rowOf(deps: Pick<Base, "ids">, wanted: Wanted, now: number): Unwritten {
  // What our own codes say stays as it is, so that it can be masked.
  const mayReplace = wanted.account.smart_encoding && (wanted.verificationId ?? null) === null;
  const smart = mayReplace ? smartEncoded(wanted.body) : null;
  const body = smart ?? wanted.body;
  const { encoding, segments } = countSegments(body);
  return {
    shard: wanted.account.shard,
    account_id: wanted.account.id,
    id: wanted.id ?? deps.ids.makeAt(now),
    direction: "outbound",
    status: "queued",
    mode: wanted.mode,
    from_number: wanted.from,
    to_number: wanted.to,
    body,
    encoding: smart === null ? encoding : "gsm7_smart",
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
    schedule_id: wanted.scheduleId ?? null,
    run_id: wanted.runId ?? null,
    verification_id: wanted.verificationId ?? null,
    from_service: wanted.fromService ?? false,
    expires_at: wanted.expiresAtMs ?? null,
    quiet_hours: quietHoursOf(wanted),
    attempts: 0,
    is_out: false,
    handed_at: null,
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
