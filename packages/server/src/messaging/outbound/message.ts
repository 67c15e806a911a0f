import {
  FAILURES,
  type Failure,
  type FailureCode,
  type MessageBilling,
  type MessageStatus,
  type SmsEncoding,
} from "@longwave/contract";
import { simulatedOutcome } from "../carriers/simulated-network.ts";
import { toApiId } from "../platform/ids.ts";

/** What a text is written in; `gsm7_smart` is GSM-7 after typographic characters were replaced. */
export type StoredEncoding = SmsEncoding | "gsm7_smart";

/** What it is on the wire. */
export function encodingOf({ encoding }: Pick<MessageRow, "encoding">): SmsEncoding {
  return encoding === "gsm7_smart" ? "gsm7" : encoding;
}

export function isSmartEncoded({ encoding }: Pick<MessageRow, "encoding">): boolean {
  return encoding === "gsm7_smart";
}

/** A message as its table keeps it. */
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
  /** The recurring schedule, or the run of an automation, that it belongs to. */
  readonly schedule_id: string | null;
  readonly run_id: string | null;
  /** The verification whose code it carries, masked in `body`. */
  readonly verification_id: string | null;
  /** From a number of the service's own: the account neither sees it nor hears of it as a message. */
  readonly from_service: boolean;
  /** What no carrier has taken by then fails `expired`; null: it is tried as long as any. */
  readonly expires_at: number | null;
  /** The quiet hours that hold for it, as one number; null: none. */
  readonly quiet_hours: number | null;
  readonly attempts: number;
  /** Handed to its carrier, which has not answered yet: while this is so it is not handed over again. */
  readonly is_out: boolean;
  readonly handed_at: number | null;
  readonly next_attempt_at: number | null;
  readonly failure_code: FailureCode | null;
  readonly carrier_code: string | null;
  readonly carrier: string | null;
  readonly created_at: number;
  readonly sent_at: number | null;
  readonly delivered_at: number | null;
  readonly failed_at: number | null;
}

/** What the `data` of the events that tell of a message's moves is made of. */
interface Subject {
  readonly id: string;
  readonly to_number: string;
  readonly customer_id: string | null;
}

export function sentData(
  message: Subject & { readonly from_number: string; readonly segments: number },
): Record<string, unknown> {
  return {
    message_id: toApiId("message", message.id),
    from: message.from_number,
    to: message.to_number,
    status: "sent",
    segments: message.segments,
    ...ofCustomer(message),
  };
}

export function deliveredData(message: Subject, latencyMs: number): Record<string, unknown> {
  return {
    message_id: toApiId("message", message.id),
    to: message.to_number,
    status: "delivered",
    latency_ms: latencyMs,
    ...ofCustomer(message),
  };
}

export function failedData(
  message: Subject,
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
    ...ofCustomer(message),
  };
}

function ofCustomer(message: Subject): { customer_id?: string } {
  return message.customer_id === null
    ? {}
    : { customer_id: toApiId("customer", message.customer_id) };
}

/** Why a text failed, as the API shows it. */
export function presentFailure(code: FailureCode, carrierCode: string | null): Failure {
  const { title, explanation, action } = FAILURES[code];
  return { code, title, explanation, action, carrier_code: carrierCode };
}

/**
 * What will be told of a text once its simulated receipt says that it was delivered, where it says
 * nothing else: `bring_receipts` puts in the latency, which is not known before. Null where the
 * receipt says something else, or something follows from it.
 */
export function receiptEventOf(row: MessageRow): string | null {
  if (row.from_service || row.schedule_id !== null || row.run_id !== null) return null;
  const { receipt, reply } = simulatedOutcome(row.to_number);
  if (receipt !== "delivered" || reply !== null) return null;
  return JSON.stringify(deliveredData(row, 0));
}

/** Where the latency stands in it. */
export const NO_LATENCY = '"latency_ms":0';
