import { Problem } from "@longwave/contract";
import type { Queryable } from "../../core/db/driver/database.ts";
import { undecidedAmong } from "../../people/consent/index.ts";
import type { OutboundDeps } from "./deps.ts";
import { areAnswers } from "./quiet-hours.ts";
import type { OutboundRequest } from "./request.ts";

/** A message that its account, or its topic, allows to people who have opted in alone. */
type OptInCandidate = Pick<OutboundRequest, "account" | "mode" | "from" | "to" | "customerId">;

/**
 * Indexes of messages whose recipients have not opted in, where their account needs it.
 *
 * Answers within 24 hours of the recipient's own text and messages to verified numbers need no opt-in. Codes and
 * automatic replies never come here. `isRequired`: the batch's topic needs it, too.
 */
export async function lackingOptIn(
  deps: Pick<OutboundDeps, "clock" | "isVerified">,
  db: Queryable,
  candidates: readonly OptInCandidate[],
  isRequired = false,
): Promise<ReadonlySet<number>> {
  const asked = [...candidates.entries()].filter(
    ([, { account }]) => isRequired || account.opt_in_required,
  );
  if (asked.length === 0) return new Set();
  const nowMs = deps.clock.now();
  const groups = new Map<string, { readonly of: OptInCandidate; readonly members: number[] }>();
  for (const [index, of] of asked) {
    const key = `${of.account.id} ${of.mode} ${of.customerId}`;
    const group = groups.get(key) ?? { of, members: [] };
    group.members.push(index);
    groups.set(key, group);
  }
  const lacking: number[] = [];
  for (const { of, members } of groups.values()) {
    const phones = [...new Set(members.map((index) => candidates[index]?.to ?? ""))];
    const account = { ...of.account, mode: of.mode };
    const undecided = await undecidedAmong(db, account, phones, {
      customerId: of.customerId,
      nowMs,
    });
    lacking.push(...members.filter((index) => undecided.has(candidates[index]?.to ?? "")));
  }
  return new Set(await withoutExempt(deps, db, candidates, lacking, nowMs));
}

async function withoutExempt(
  deps: Pick<OutboundDeps, "isVerified">,
  db: Queryable,
  candidates: readonly OptInCandidate[],
  lacking: readonly number[],
  nowMs: number,
): Promise<number[]> {
  const [first] = lacking;
  if (first === undefined) return [];
  const messages = lacking.map((index) => candidates[index] as OptInCandidate);
  const { shard } = (candidates[first] as OptInCandidate).account;
  const answers = await areAnswers(
    db,
    shard,
    messages.map(({ account, from, to }) => ({ accountId: account.id, from, to, atMs: nowMs })),
  );
  const own = await Promise.all(messages.map(({ account, to }) => deps.isVerified(account, to)));
  return lacking.filter((_, position) => !answers[position] && !own[position]);
}

/** Refuses a message to somebody who has not opted in, where the account needs it. */
export async function requireOptIn(deps: OutboundDeps, request: OptInCandidate): Promise<void> {
  const lacking = await lackingOptIn(deps, deps.db, [request]);
  if (lacking.size === 0) return;
  throw new Problem(
    "opt_in_required",
    `${request.to} has not opted in, and this account texts only people who have. Record the opt-in with POST /v1/consent, with its evidence.`,
    { param: "to" },
  );
}
