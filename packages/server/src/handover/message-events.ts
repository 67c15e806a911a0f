import { FAILURES, type Failure, type FailureCode } from "@longwave/contract";
import { toApiId } from "../platform/ids.ts";

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
