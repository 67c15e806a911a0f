import { Problem } from "@longwave/contract";
import type { Queryable } from "../../core/db/driver/database.ts";
import { undecidedAmong } from "../../people/consent/index.ts";
import type { OutboundDeps } from "./deps.ts";
import { areAnswers } from "./quiet-hours.ts";
import type { OutboundRequest } from "./request.ts";

/** A message to check for the opt-in of its recipient. */
type ConsentCandidate = Pick<OutboundRequest, "account" | "mode" | "from" | "to" | "customerId"> & {
  /** Acceptance time of a message that waited: an answer stays one. Unset: the message is new. */
  readonly acceptedAtMs?: number;
  /** The batch's topic needs an opt-in, whatever the account says. */
  readonly isRequired?: boolean;
};

/** Refusals beside the opt-outs that the accept statement finds. */
type ConsentRefusal = "recipient_opted_out" | "opt_in_required";

type ConsentCheckDeps = Pick<OutboundDeps, "clock" | "isVerified" | "erasedPhones">;

/**
 * Refusals by index of the message: an erased number stays opted out, and an account or a batch's topic may need an
 * opt-in.
 *
 * Answers within 24 hours of the recipient's own text and messages to verified numbers need no opt-in. Codes and
 * automatic replies never come here.
 */
export async function consentRefusals(
  deps: ConsentCheckDeps,
  db: Queryable,
  candidates: readonly ConsentCandidate[],
): Promise<ReadonlyMap<number, ConsentRefusal>> {
  const refusals = new Map<number, ConsentRefusal>();
  const lacking: number[] = [];
  for (const { of, members } of groupsOf(candidates)) {
    const phones = [...new Set(members.map((index) => toOf(candidates, index)))];
    const erased = await deps.erasedPhones.among(of.account, phones);
    const asked = of.isRequired || of.account.opt_in_required ? phones : [...erased];
    if (asked.length === 0) continue;
    const account = { ...of.account, mode: of.mode };
    const agreement = { customerId: of.customerId, nowMs: deps.clock.now() };
    const undecided = await undecidedAmong(db, account, asked, agreement);
    const unsettled = members.filter((index) => undecided.has(toOf(candidates, index)));
    const [gone, open] = partition(unsettled, (index) => erased.has(toOf(candidates, index)));
    for (const index of gone) refusals.set(index, "recipient_opted_out");
    lacking.push(...open);
  }
  for (const index of await withoutExempt(deps, db, candidates, lacking)) {
    refusals.set(index, "opt_in_required");
  }
  return refusals;
}

function partition(
  indexes: readonly number[],
  matches: (index: number) => boolean,
): readonly [readonly number[], readonly number[]] {
  return [indexes.filter(matches), indexes.filter((index) => !matches(index))];
}

/** Messages that share account, mode, customer and topic's rule: one query answers for a group. */
function groupsOf(candidates: readonly ConsentCandidate[]) {
  const groups = new Map<string, { readonly of: ConsentCandidate; readonly members: number[] }>();
  for (const [index, of] of candidates.entries()) {
    const key = `${of.account.id} ${of.mode} ${of.customerId} ${of.isRequired === true}`;
    const group = groups.get(key) ?? { of, members: [] };
    group.members.push(index);
    groups.set(key, group);
  }
  return groups.values();
}

const toOf = (candidates: readonly ConsentCandidate[], index: number): string =>
  (candidates[index] as ConsentCandidate).to;

async function withoutExempt(
  deps: ConsentCheckDeps,
  db: Queryable,
  candidates: readonly ConsentCandidate[],
  lacking: readonly number[],
): Promise<number[]> {
  const messages = lacking.map((index) => candidates[index] as ConsentCandidate);
  const [first] = messages;
  if (first === undefined) return [];
  const now = deps.clock.now();
  const answers = await areAnswers(
    db,
    first.account.shard,
    messages.map(({ account, from, to, acceptedAtMs: atMs = now }) => ({
      ...{ accountId: account.id, from, to, atMs },
    })),
  );
  const own = await Promise.all(messages.map(({ account, to }) => deps.isVerified(account, to)));
  return lacking.filter((_, position) => !answers[position] && !own[position]);
}

/** Refuses a message to somebody whose number was erased, or who has not opted in where the account needs it. */
export async function requireConsent(deps: OutboundDeps, request: ConsentCandidate): Promise<void> {
  const refusal = (await consentRefusals(deps, deps.db, [request])).get(0);
  if (refusal === undefined) return;
  const message =
    refusal === "opt_in_required"
      ? `${request.to} has not opted in, and this account texts only people who have. Record the opt-in with POST /v1/consent, with its evidence.`
      : `The data of ${request.to} was erased, which ended its consent. Record a new opt-in with POST /v1/consent first.`;
  throw new Problem(refusal, message, { param: "to" });
}
