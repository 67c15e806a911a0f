import { type EventData, formatTimestamp, VERIFICATION_MOVES } from "@longwave/contract";
import type { NewEvent } from "../events/index.ts";
import { toApiId } from "../platform/ids.ts";

/** Whose event it is: the part of a verification that all its events carry. */
export interface Subject {
  readonly id: string;
  readonly phone: string;
  readonly customer_id: string | null;
}

type VerificationEvent =
  | "verification.sent"
  | "verification.approved"
  | "verification.failed"
  | "verification.blocked";

function made<T extends VerificationEvent>(
  type: T,
  customerId: string | null,
  data: EventData<T>,
): NewEvent {
  const owned = customerId === null ? {} : { customer_id: toApiId("customer", customerId) };
  return { type, customerId, data: { ...data, ...owned } };
}

const idOf = (subject: Subject) => toApiId("verification", subject.id);

export function sentEvent(subject: Subject & { readonly expires_at: number }): NewEvent {
  return made("verification.sent", subject.customer_id, {
    verification_id: idOf(subject),
    phone: subject.phone,
    expires_at: formatTimestamp(subject.expires_at),
  });
}

export function approvedEvent(subject: Subject, attempts: number, charged: boolean): NewEvent {
  return made(VERIFICATION_MOVES.right_code.emits, subject.customer_id, {
    verification_id: idOf(subject),
    phone: subject.phone,
    attempts,
    charged,
  });
}

type FailedCheck = "wrong_code" | "last_wrong_code" | "checked_late";

export function failedEvent(subject: Subject, on: FailedCheck, attempts: number): NewEvent {
  const { to: status, emits } = VERIFICATION_MOVES[on];
  return made(emits, subject.customer_id, {
    verification_id: idOf(subject),
    phone: subject.phone,
    status,
    attempts,
  });
}

export function blockedEvent(phone: string, customerId: string | null, reason: string): NewEvent {
  return made("verification.blocked", customerId, { verification_id: null, phone, reason });
}
