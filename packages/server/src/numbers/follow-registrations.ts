/**
 * Brings the standing of an account's numbers in line with its registrations. Every change of a registration, every
 * purchase and every link comes through here, one after the other for each account: that is what keeps a registration
 * from holding more numbers than it may.
 */
import {
  REGISTRATION_NUMBERS_MAX,
  type RegistrationStatus,
  type SenderState,
} from "@longwave/contract";
import type { Base } from "../base.ts";
import type { AccountRef } from "../db/account-cache.ts";
import type { Tx } from "../db/database.ts";
import { notify } from "../db/notifications.ts";
import { append } from "../events/index.ts";
import { toApiId } from "../platform/ids.ts";
import { findFollowers, lockSenders, moveSenders } from "./registration-sql.ts";

/** A registration as numbers look at it. */
export interface RegistrationStanding {
  readonly id: string;
  readonly status: RegistrationStatus;
}

export interface Follower {
  readonly id: string;
  readonly phone_number: string;
  readonly customer_id: string | null;
  readonly registration_id: string | null;
  /** The registration was named for this number, and stays whatever else is approved. */
  readonly registration_tied: boolean;
  readonly sender_state: SenderState;
  readonly sender_reason: string | null;
}

interface Standing {
  readonly registration_id: string | null;
  readonly state: SenderState;
  readonly reason: string | null;
}

// biome-ignore format: one status per line
const STATE_BY_STATUS: Readonly<Record<RegistrationStatus, SenderState>> = {
  draft:         "test_only",
  checks_failed: "test_only",
  ready:         "test_only",
  submitted:     "pending",
  in_review:     "pending",
  approved:      "active",
  rejected:      "action_needed",
};

const REASONS: Readonly<Partial<Record<RegistrationStatus, string>>> = {
  submitted: "Its registration waits for the operator's review.",
  in_review: "Its registration is in review with the carriers.",
  rejected: "Its registration was rejected: mend what it says, recheck it and submit it again.",
};

/** Waits for whoever changes numbers or registrations of this account right now. */
export async function lockFollowers(tx: Tx, account: AccountRef): Promise<void> {
  await tx.query(lockSenders, [account.id]);
}

/** `isNew`: a number that was bought in this transaction, of which nobody has heard yet. */
export async function followRegistrations(
  deps: Base,
  tx: Tx,
  account: AccountRef,
  registrations: readonly RegistrationStanding[],
  isNew: (numberId: string) => boolean = () => false,
): Promise<void> {
  const followers = await tx.query<Follower>(findFollowers, [account.id]);
  const standings = standingsOf(followers, registrations);
  const changed = followers.flatMap((number) => {
    const standing = standings.get(number.id);
    return standing === undefined || isSame(number, standing) ? [] : [{ number, standing }];
  });
  if (changed.length === 0) return;
  const now = deps.clock.now();
  const rows = changed.map(({ number, standing }) => ({ id: number.id, ...standing }));
  await tx.query(moveSenders, [JSON.stringify(rows), new Date(now)]);
  const told = changed.filter(
    ({ number, standing }) => number.sender_state !== standing.state && !isNew(number.id),
  );
  const owner = { shard: account.shard, accountId: account.id };
  if (told.length > 0) await append(deps, tx, owner, told.map(eventOf));
  await notify(tx, "longwave_cache", account.id);
}

function isSame(number: Follower, { registration_id, state, reason }: Standing): boolean {
  return (
    number.registration_id === registration_id &&
    number.sender_state === state &&
    number.sender_reason === reason
  );
}

function eventOf({ number, standing }: { number: Follower; standing: Standing }) {
  const { registration_id, state, reason } = standing;
  return {
    type: "number.sender_updated" as const,
    data: {
      phone_number: number.phone_number,
      mode: "live" as const,
      state,
      previous_state: number.sender_state,
      registration_id: registration_id === null ? null : toApiId("registration", registration_id),
      reason,
      ...(number.customer_id === null
        ? {}
        : { customer_id: toApiId("customer", number.customer_id) }),
    },
  };
}

/** What each number should be. Those that a registration holds already come first, then the oldest. */
function standingsOf(
  followers: readonly Follower[],
  registrations: readonly RegistrationStanding[],
): Map<string, Standing> {
  const byId = new Map(registrations.map((registration) => [registration.id, registration]));
  const usual = accountRegistration(registrations);
  const held = new Map<string, number>();
  const standings = new Map<string, Standing>();
  for (const number of inOrder(followers)) {
    const registration = followedBy(number, byId, usual);
    if (registration === null) {
      standings.set(number.id, { registration_id: null, state: "test_only", reason: null });
      continue;
    }
    const count = (held.get(registration.id) ?? 0) + 1;
    held.set(registration.id, count);
    standings.set(number.id, standingUnder(registration, count));
  }
  return standings;
}

function inOrder(followers: readonly Follower[]): Follower[] {
  const rank = (number: Follower) =>
    number.registration_tied ? 0 : number.sender_state === "active" ? 1 : 2;
  return [...followers].sort((a, b) => rank(a) - rank(b) || (a.id < b.id ? -1 : 1));
}

function standingUnder({ id, status }: RegistrationStanding, count: number): Standing {
  if (count > REGISTRATION_NUMBERS_MAX) {
    const reason = `Its registration holds ${REGISTRATION_NUMBERS_MAX} numbers already: link this one to another registration.`;
    return { registration_id: id, state: "action_needed", reason };
  }
  return { registration_id: id, state: STATE_BY_STATUS[status], reason: REASONS[status] ?? null };
}

/** The one that was named for it, else the account's, else the one it followed until it was rejected. */
function followedBy(
  number: Follower,
  byId: ReadonlyMap<string, RegistrationStanding>,
  usual: RegistrationStanding | null,
): RegistrationStanding | null {
  const own = number.registration_id === null ? null : (byId.get(number.registration_id) ?? null);
  if (number.registration_tied && own !== null) return own;
  return usual ?? (own?.status === "rejected" ? own : null);
}

/** The only approved one, else the newest that is neither a draft nor rejected. */
function accountRegistration(
  newestFirst: readonly RegistrationStanding[],
): RegistrationStanding | null {
  const approved = newestFirst.filter(({ status }) => status === "approved");
  if (approved.length === 1) return approved[0] ?? null;
  return newestFirst.find(({ status }) => status !== "draft" && status !== "rejected") ?? null;
}
