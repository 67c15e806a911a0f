import { FAILURES, type Failure, type FailureCode } from "@longwave/contract";
import { simulatedOutcome } from "../carriers/simulated-network.ts";
import { toApiId } from "../platform/ids.ts";
import type { MessageRow } from "./message-row.ts";

/** The `data` of the events that tell of a message's moves. */

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
