/**
 * Computes sender states from an account's registrations. Pure; follow-registrations.ts stores the
 * result.
 */
import {
  type NumberType,
  REGISTRATION_NUMBERS_MAX,
  type RegistrationKind,
  type RegistrationStatus,
  type SenderState,
} from "@longwave/contract";
import { registrationKindOf, type TollFreePolicy } from "./sender.ts";

/** A registration, as far as numbers depend on it. */
export interface RegistrationState {
  readonly id: string;
  readonly kind: RegistrationKind;
  readonly status: RegistrationStatus;
  /** Whether it is suspended or expired, or was approved until its rejection. */
  readonly is_revoked: boolean;
}

/** Computed columns of a number's sender state. */
export interface ComputedSenderState {
  readonly registration_id: string | null;
  readonly sender_state: SenderState;
  readonly sender_reason: string | null;
  /** Registration that the number is linked to with the registry. */
  readonly linked_to: string | null;
  /** Id of the link under way. */
  readonly link_id: string | null;
  /** Registration to which the link failed for good. */
  readonly link_failed_to: string | null;
}

/** A number that needs a registration. */
export interface LinkedNumber extends ComputedSenderState {
  readonly id: string;
  readonly phone_number: string;
  readonly type: NumberType;
  readonly customer_id: string | null;
  /** Whether the registration was named for this number, and so stays whatever else is approved. */
  readonly registration_tied: boolean;
  /** Whether the operator vouches for it: it follows no registration meanwhile. */
  readonly is_vouched: boolean;
}

// biome-ignore format: one status per line
const STATE_BY_STATUS: Readonly<Record<Exclude<RegistrationStatus, "approved">, SenderState>> = {
  draft:         "test_only",
  checks_failed: "test_only",
  ready:         "test_only",
  submitted:     "pending",
  in_review:     "pending",
  rejected:      "action_needed",
  suspended:     "action_needed",
  expired:       "action_needed",
};

const REASONS: Readonly<Partial<Record<RegistrationStatus, string>>> = {
  draft: "Its registration is a draft. Check and submit it.",
  checks_failed:
    "Its registration does not pass the check yet. Correct the findings, and check it again.",
  ready: "Its registration is ready. Submit it.",
  submitted: "Its registration waits for the operator's review.",
  in_review: "Its registration is in review with the carriers.",
  suspended:
    "The carriers suspended its registration. The registration has their reason; ask the operator to lift it.",
  expired:
    "Its registration has expired. Ask the operator to renew it, or check it and submit it again.",
  rejected: "Its registration was rejected. Correct the findings, check it again and submit it.",
};

const LINKING = "It is being linked to its approved registration.";
const FULL = `Its registration holds ${REGISTRATION_NUMBERS_MAX} numbers already. Link this one to another registration.`;
const TOLL_FREE_UNVERIFIED =
  "Carriers refuse toll-free numbers that are not verified. Submit a toll-free registration.";

/** Every reason that this file gives; the registry adds its own. */
export const SENDER_REASONS: readonly string[] = [
  ...Object.values(REASONS),
  LINKING,
  FULL,
  TOLL_FREE_UNVERIFIED,
];

const NO_LINK = { linked_to: null, link_id: null, link_failed_to: null } as const;
const WITHOUT_REGISTRATION: ComputedSenderState = {
  registration_id: null,
  sender_state: "test_only",
  sender_reason: null,
  ...NO_LINK,
};

/** A toll-free number is `pending` until it is verified, never for tests alone. */
const UNVERIFIED: ComputedSenderState = {
  ...WITHOUT_REGISTRATION,
  sender_state: "pending",
  sender_reason: TOLL_FREE_UNVERIFIED,
};
/** A toll-free number that was bought before LONGWAVE_TOLL_FREE asked for verification, or where it does not. */
const NEEDS_NONE: ComputedSenderState = {
  ...{ registration_id: null, sender_state: "active", sender_reason: null },
  ...NO_LINK,
};

/** Numbers that fit under a registration; numbers beyond its limit do not. */
export function numbersOnRegistration(
  all: readonly LinkedNumber[],
  registrations: readonly RegistrationState[],
  registrationId: string,
): ReadonlySet<string> {
  const kind = registrations.find(({ id }) => id === registrationId)?.kind;
  const numbers = all.filter(({ type }) => registrationKindOf(type) === kind);
  const byId = new Map(registrations.map((registration) => [registration.id, registration]));
  const usual = accountRegistration(registrations.filter((each) => each.kind === kind));
  const holders = inOrder(numbers).filter(
    (number) => !number.is_vouched && followedBy(number, byId, usual)?.id === registrationId,
  );
  return new Set(holders.slice(0, REGISTRATION_NUMBERS_MAX).map(({ id }) => id));
}

/**
 * Sender state of each number. A number follows registrations of its type's kind. Numbers that a
 * registration already holds come first, then the oldest. `newLinkId`: id of the link for numbers that are not linked to their approved
 * registration yet.
 */
export function senderStatesOf(
  numbers: readonly LinkedNumber[],
  registrations: readonly RegistrationState[],
  newLinkId: string,
  policy: TollFreePolicy = "active",
): Map<string, ComputedSenderState> {
  const byId = new Map(registrations.map((registration) => [registration.id, registration]));
  const usualOf = (kind: RegistrationKind) =>
    accountRegistration(registrations.filter((each) => each.kind === kind));
  const usual = { campaign: usualOf("campaign"), toll_free: usualOf("toll_free") };
  const held = new Map<string, number>();
  const states = new Map<string, ComputedSenderState>();
  for (const number of inOrder(numbers)) {
    if (number.is_vouched) {
      states.set(number.id, vouchedState(number, byId));
      continue;
    }
    const kind = registrationKindOf(number.type);
    if (kind === "toll_free" && (policy === "active" || wasNeverAsked(number))) {
      states.set(number.id, NEEDS_NONE);
      continue;
    }
    const registration = followedBy(number, byId, usual[kind]);
    if (registration === null) {
      states.set(number.id, kind === "toll_free" ? UNVERIFIED : WITHOUT_REGISTRATION);
      continue;
    }
    const count = (held.get(registration.id) ?? 0) + 1;
    held.set(registration.id, count);
    states.set(number.id, stateUnder(number, registration, count, newLinkId));
  }
  return states;
}

/** Keeps a link that holds with the registry, so that a release ends it there. */
function vouchedState(
  { registration_id, linked_to }: LinkedNumber,
  byId: ReadonlyMap<string, RegistrationState>,
): ComputedSenderState {
  const isLinked = linked_to !== null && byId.get(linked_to)?.status === "approved";
  return {
    ...{ registration_id, sender_state: "active", sender_reason: "registered_elsewhere" },
    ...{ ...NO_LINK, linked_to: isLinked ? linked_to : null },
  };
}

/** A number that was bought before verification was required keeps sending until it follows a registration. */
function wasNeverAsked({ sender_state, sender_reason, registration_id }: LinkedNumber): boolean {
  return sender_state === "active" && sender_reason === null && registration_id === null;
}

function inOrder(numbers: readonly LinkedNumber[]): LinkedNumber[] {
  const rank = (number: LinkedNumber) =>
    number.registration_tied ? 0 : number.linked_to !== null ? 1 : 2;
  return [...numbers].sort((a, b) => rank(a) - rank(b) || (a.id < b.id ? -1 : 1));
}

function stateUnder(
  number: LinkedNumber,
  { id, status }: RegistrationState,
  count: number,
  newLinkId: string,
): ComputedSenderState {
  const registration_id = id;
  if (count > REGISTRATION_NUMBERS_MAX) {
    return { registration_id, sender_state: "action_needed", sender_reason: FULL, ...NO_LINK };
  }
  if (status === "approved") return approvedState(number, id, newLinkId);
  const sender_reason = REASONS[status] ?? null;
  const byStatus = STATE_BY_STATUS[status];
  const isToVerify = number.type === "toll_free" && byStatus === "test_only";
  const sender_state = isToVerify ? "pending" : byStatus;
  // A suspended registration keeps its links with the registry: reinstated, its numbers send at once.
  const isKept = status === "suspended" && number.linked_to === id;
  const link = { ...NO_LINK, linked_to: isKept ? id : null };
  return { registration_id, sender_state, sender_reason, ...link };
}

/** Linked, being linked, refused by the registry, or to be linked under `newLinkId`. */
function approvedState(number: LinkedNumber, id: string, newLinkId: string): ComputedSenderState {
  const registration_id = id;
  if (number.linked_to === id) {
    return {
      ...{ registration_id, sender_state: "active", sender_reason: null },
      ...{ ...NO_LINK, linked_to: id },
    };
  }
  const { linked_to, sender_reason } = number;
  if (number.link_failed_to === id) {
    return {
      ...{ registration_id, sender_state: "action_needed", sender_reason },
      ...{ linked_to, link_id: null, link_failed_to: id },
    };
  }
  const isUnderWay = number.link_id !== null && number.registration_id === id;
  return {
    registration_id,
    sender_state: "pending",
    sender_reason: isUnderWay ? sender_reason : LINKING,
    linked_to,
    link_id: isUnderWay ? number.link_id : newLinkId,
    link_failed_to: null,
  };
}

/**
 * The registration of a number, by precedence: the one named for it; the approved one it is linked
 * to or being linked to; the revoked one it followed, until another is approved; the account's; the
 * one it followed until its rejection.
 */
function followedBy(
  number: LinkedNumber,
  byId: ReadonlyMap<string, RegistrationState>,
  usual: RegistrationState | null,
): RegistrationState | null {
  const own = number.registration_id === null ? null : (byId.get(number.registration_id) ?? null);
  if (number.registration_tied && own !== null) return own;
  const isLinkedOrLinking = number.linked_to === own?.id || number.link_id !== null;
  if (own?.status === "approved" && isLinkedOrLinking) return own;
  if (own?.is_revoked && usual?.status !== "approved") return own;
  return usual ?? (own?.status === "rejected" ? own : null);
}

/** The only approved registration, else the newest that is neither draft nor rejected. */
export function accountRegistration(
  newestFirst: readonly RegistrationState[],
): RegistrationState | null {
  const approved = newestFirst.filter(({ status }) => status === "approved");
  if (approved.length === 1) return approved[0] ?? null;
  return newestFirst.find(({ status }) => status !== "draft" && status !== "rejected") ?? null;
}
