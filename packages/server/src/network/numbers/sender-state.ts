/** How a number stands, worked out from the registrations of its account. Pure: who writes it is follow-registrations.ts. */
import {
  REGISTRATION_NUMBERS_MAX,
  type RegistrationStatus,
  type SenderState,
} from "@longwave/contract";

/** A registration as numbers look at it. */
export interface RegistrationStanding {
  readonly id: string;
  readonly status: RegistrationStatus;
}

/** What is stored of how a number stands. */
export interface Standing {
  readonly registration_id: string | null;
  readonly sender_state: SenderState;
  readonly sender_reason: string | null;
  /** The registration that it is linked to with the registry. */
  readonly linked_to: string | null;
  /** The link that is under way. */
  readonly link_id: string | null;
  /** The registration to which its link failed for good. */
  readonly link_failed_to: string | null;
}

/** A number that needs a registration. */
export interface Follower extends Standing {
  readonly id: string;
  readonly phone_number: string;
  readonly customer_id: string | null;
  /** The registration was named for this number, and stays whatever else is approved. */
  readonly registration_tied: boolean;
}

// biome-ignore format: one status per line
const STATE_BY_STATUS: Readonly<Record<Exclude<RegistrationStatus, "approved">, SenderState>> = {
  draft:         "test_only",
  checks_failed: "test_only",
  ready:         "test_only",
  submitted:     "pending",
  in_review:     "pending",
  rejected:      "action_needed",
};

const REASONS: Readonly<Partial<Record<RegistrationStatus, string>>> = {
  draft: "Its registration is a draft: recheck it and submit it.",
  checks_failed: "Its registration does not pass the check yet: mend what it says, and recheck it.",
  ready: "Its registration is ready: submit it.",
  submitted: "Its registration waits for the operator's review.",
  in_review: "Its registration is in review with the carriers.",
  rejected: "Its registration was rejected: mend what it says, recheck it and submit it again.",
};

const LINKING = "It is being linked to its approved registration.";
const NO_LINK = { linked_to: null, link_id: null, link_failed_to: null } as const;
const ALONE: Standing = {
  registration_id: null,
  sender_state: "test_only",
  sender_reason: null,
  ...NO_LINK,
};

/** The numbers that hold a place under a registration; the others that follow it found it full. */
export function holdersOf(
  followers: readonly Follower[],
  registrations: readonly RegistrationStanding[],
  registrationId: string,
): ReadonlySet<string> {
  const byId = new Map(registrations.map((registration) => [registration.id, registration]));
  const usual = accountRegistration(registrations);
  const holders = inOrder(followers).filter(
    (number) => followedBy(number, byId, usual)?.id === registrationId,
  );
  return new Set(holders.slice(0, REGISTRATION_NUMBERS_MAX).map(({ id }) => id));
}

/**
 * What each number should be. Those that a registration holds already come first, then the oldest. `newLinkId` is the
 * link that begins for numbers that have none with their approved registration.
 */
export function standingsOf(
  followers: readonly Follower[],
  registrations: readonly RegistrationStanding[],
  newLinkId: string,
): Map<string, Standing> {
  const byId = new Map(registrations.map((registration) => [registration.id, registration]));
  const usual = accountRegistration(registrations);
  const held = new Map<string, number>();
  const standings = new Map<string, Standing>();
  for (const number of inOrder(followers)) {
    const registration = followedBy(number, byId, usual);
    if (registration === null) {
      standings.set(number.id, ALONE);
      continue;
    }
    const count = (held.get(registration.id) ?? 0) + 1;
    held.set(registration.id, count);
    standings.set(number.id, standingUnder(number, registration, count, newLinkId));
  }
  return standings;
}

function inOrder(followers: readonly Follower[]): Follower[] {
  const rank = (number: Follower) =>
    number.registration_tied ? 0 : number.linked_to !== null ? 1 : 2;
  return [...followers].sort((a, b) => rank(a) - rank(b) || (a.id < b.id ? -1 : 1));
}

function standingUnder(
  number: Follower,
  { id, status }: RegistrationStanding,
  count: number,
  newLinkId: string,
): Standing {
  const registration_id = id;
  if (count > REGISTRATION_NUMBERS_MAX) {
    const sender_reason = `Its registration holds ${REGISTRATION_NUMBERS_MAX} numbers already: link this one to another registration.`;
    return { registration_id, sender_state: "action_needed", sender_reason, ...NO_LINK };
  }
  if (status === "approved") return approvedStanding(number, id, newLinkId);
  const sender_reason = REASONS[status] ?? null;
  return { registration_id, sender_state: STATE_BY_STATUS[status], sender_reason, ...NO_LINK };
}

/** Linked, being linked, refused by the registry, or to be linked from now on. */
function approvedStanding(number: Follower, id: string, newLinkId: string): Standing {
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
 * The one that was named for it; else the approved one that it is linked to, or being linked to; else the account's;
 * else the one it followed until it was rejected.
 */
function followedBy(
  number: Follower,
  byId: ReadonlyMap<string, RegistrationStanding>,
  usual: RegistrationStanding | null,
): RegistrationStanding | null {
  const own = number.registration_id === null ? null : (byId.get(number.registration_id) ?? null);
  if (number.registration_tied && own !== null) return own;
  const isAtHome = number.linked_to === own?.id || number.link_id !== null;
  if (own?.status === "approved" && isAtHome) return own;
  return usual ?? (own?.status === "rejected" ? own : null);
}

/** The only approved one, else the newest that is neither a draft nor rejected. */
export function accountRegistration(
  newestFirst: readonly RegistrationStanding[],
): RegistrationStanding | null {
  const approved = newestFirst.filter(({ status }) => status === "approved");
  if (approved.length === 1) return approved[0] ?? null;
  return newestFirst.find(({ status }) => status !== "draft" && status !== "rejected") ?? null;
}
