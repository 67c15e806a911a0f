import {
  FAILURES,
  type Failure,
  type FailureCode,
  type MessageBilling,
  type MessageStatus,
  type SmsEncoding,
} from "@longwave/contract";
import { toApiId } from "../../core/platform/ids.ts";
import { simulatedOutcome } from "../../network/carriers/simulated-network.ts";

/** Encoding of a stored body; `gsm7_smart` is GSM-7 after typographic characters were replaced. */
export type StoredEncoding = SmsEncoding | "gsm7_smart";

/** Encoding on the wire. */
export function encodingOf({ encoding }: Pick<MessageRow, "encoding">): SmsEncoding {
  return encoding === "gsm7_smart" ? "gsm7" : encoding;
}

export function isSmartEncoded({ encoding }: Pick<MessageRow, "encoding">): boolean {
  return encoding === "gsm7_smart";
}

/** A row of `messages`. */
export interface MessageRow {
  readonly shard: number;
  readonly account_id: string;
  readonly id: string;
  readonly direction: "outbound" | "inbound";
  readonly status: MessageStatus;
  readonly mode: "test" | "live";
  readonly from_number: string;
  readonly to_number: string;
  readonly body: string;
  readonly encoding: StoredEncoding;
  readonly segments: number;
  readonly price_micros: number;
  readonly billing: MessageBilling;
  readonly simulated: boolean;
  readonly auto_reply: boolean;
  readonly customer_id: string | null;
  readonly pool_id: string | null;
  readonly batch_id: string | null;
  readonly batch_index: number | null;
  readonly scheduled_message_id: string | null;
  /** The recurring schedule, or the automation run, that sent the message. */
  readonly schedule_id: string | null;
  readonly run_id: string | null;
  /** The verification whose code the message carries, masked in `body`. */
  readonly verification_id: string | null;
  /** Sent from one of the service's own numbers. The account neither lists it nor gets its events. */
  readonly from_service: boolean;
  /** The message fails `expired` unless a carrier has accepted it by then; null: it never expires. */
  readonly expires_at: number | null;
  /** Packed quiet hours that apply to the message; null: none. */
  readonly quiet_hours: number | null;
  /** Null without any. */
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly attempts: number;
  /** Submitted, and not answered yet. The dispatcher does not submit it again meanwhile. */
  readonly awaiting_carrier: boolean;
  readonly submitted_at: number | null;
  readonly next_attempt_at: number | null;
  readonly failure_code: FailureCode | null;
  readonly carrier_code: string | null;
  readonly carrier: string | null;
  readonly created_at: number;
  readonly sent_at: number | null;
  readonly delivered_at: number | null;
  readonly failed_at: number | null;
}

/** Fields of a message that the `data` of its events is built from. */
interface MessageSubject {
  readonly id: string;
  readonly to_number: string;
  readonly customer_id: string | null;
  readonly batch_id: string | null;
  readonly scheduled_message_id: string | null;
  readonly schedule_id: string | null;
  readonly metadata: Readonly<Record<string, string>> | null;
}

export function sentData(
  message: MessageSubject & { readonly from_number: string; readonly segments: number },
): Record<string, unknown> {
  return {
    message_id: toApiId("message", message.id),
    from: message.from_number,
    to: message.to_number,
    status: "sent",
    segments: message.segments,
    ...optionalFields(message),
  };
}

export function deliveredData(message: MessageSubject, latencyMs: number): Record<string, unknown> {
  return {
    message_id: toApiId("message", message.id),
    to: message.to_number,
    status: "delivered",
    latency_ms: latencyMs,
    ...optionalFields(message),
  };
}

export function failedData(
  message: MessageSubject,
  code: FailureCode,
  carrierCode: string | null,
): Record<string, unknown> {
  const failure = presentFailure(code, carrierCode);
  return {
    message_id: toApiId("message", message.id),
    to: message.to_number,
    code: FAILURES[code].legacy,
    reason: failure.explanation,
    failure,
    ...optionalFields(message),
  };
}

/** Fields that the event has only where the message does. Filled in place: every message passes here. */
function optionalFields(message: MessageSubject): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  const { customer_id, batch_id, scheduled_message_id, schedule_id, metadata } = message;
  if (batch_id !== null) fields["batch_id"] = toApiId("batch", batch_id);
  if (scheduled_message_id !== null)
    fields["scheduled_message_id"] = toApiId("scheduled_message", scheduled_message_id);
  if (schedule_id !== null) fields["schedule_id"] = toApiId("schedule", schedule_id);
  if (metadata !== null) fields["metadata"] = metadata;
  if (customer_id !== null) fields["customer_id"] = toApiId("customer", customer_id);
  return fields;
}

/** Builds the API's failure object. */
export function presentFailure(code: FailureCode, carrierCode: string | null): Failure {
  const { title, explanation, action } = FAILURES[code];
  return { code, title, explanation, action, carrier_code: carrierCode };
}

/**
 * Builds the JSON of the event that a simulated `delivered` receipt will emit.
 *
 * `apply_simulated_receipts_v1` fills in the latency later. Null when the receipt says something else, or has
 * consequences beyond the event.
 */
export function receiptEventOf(row: MessageRow): string | null {
  if (row.from_service || row.schedule_id !== null || row.run_id !== null) return null;
  const { receipt, reply } = simulatedOutcome(row.to_number);
  if (receipt !== "delivered" || reply !== null) return null;
  return JSON.stringify(deliveredData(row, 0));
}

/** Placeholder of the latency in that JSON. */
export const NO_LATENCY = '"latency_ms":0';
