import { type EventData, formatTimestamp, type Mode, VERIFICATION_MOVES } from "@longwave/contract";
import { toApiId } from "../../core/platform/ids.ts";
import type { NewEvent } from "../../events/log/index.ts";

/** Fields of a verification that all its events carry. */
export interface VerificationSubject {
  readonly id: string;
  readonly mode: Mode;
  readonly phone: string;
  readonly customer_id: string | null;
}

type VerificationEvent =
  | "verification.sent"
  | "verification.approved"
  | "verification.failed"
  | "verification.blocked";

function newEvent<T extends VerificationEvent>(
  type: T,
  { mode, customer_id: customerId }: Pick<VerificationSubject, "mode" | "customer_id">,
  data: EventData<T>,
): NewEvent {
  const owned = customerId === null ? {} : { customer_id: toApiId("customer", customerId) };
  return { type, mode, customerId, data: { ...data, ...owned } };
}

const idOf = (subject: VerificationSubject) => toApiId("verification", subject.id);

export function sentEvent(
  subject: VerificationSubject & { readonly expires_at: number },
): NewEvent {
  return newEvent("verification.sent", subject, {
    verification_id: idOf(subject),
    phone: subject.phone,
    expires_at: formatTimestamp(subject.expires_at),
  });
}

export function approvedEvent(
  subject: VerificationSubject,
  attempts: number,
  charged: boolean,
): NewEvent {
  return newEvent(VERIFICATION_MOVES.right_code.emits, subject, {
    verification_id: idOf(subject),
    phone: subject.phone,
    attempts,
    charged,
  });
}

type FailedCheck = "wrong_code" | "last_wrong_code" | "checked_late";

export function failedEvent(
  subject: VerificationSubject,
  on: FailedCheck,
  attempts: number,
): NewEvent {
  const { to: status, emits } = VERIFICATION_MOVES[on];
  return newEvent(emits, subject, {
    verification_id: idOf(subject),
    phone: subject.phone,
    status,
    attempts,
  });
}

export function blockedEvent(subject: Omit<VerificationSubject, "id">, reason: string): NewEvent {
  const { phone } = subject;
  return newEvent("verification.blocked", subject, { verification_id: null, phone, reason });
}
