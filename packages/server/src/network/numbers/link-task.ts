import { type Static, Type } from "typebox";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { defineTask, enqueue, type TaskOutcome } from "../../core/queue/task.ts";
import type { LinkResult, NumberLinksDeps } from "./deps.ts";
import { applyChanges, type Change, lockSenderStates } from "./move-senders.ts";
import { findLinking } from "./registration-sql.ts";
import type { ComputedSenderState, LinkedNumber } from "./sender-state.ts";

const Link = Type.Object({
  shard: Type.Integer(),
  account_id: Type.String(),
  link_id: Type.String(),
  /** Calls after which the registry still worked on a link. */
  pending_calls: Type.Optional(Type.Integer()),
});
type Link = Static<typeof Link>;

/** Delays of the calls after which the registry still works on a link: soon at first, then hourly for a week. */
const PENDING_DELAYS_SECONDS = [5, 30, 120, 600, 1_800] as const;
const HOUR_SECONDS = 3_600;
const PENDING_CALLS_MAX = PENDING_DELAYS_SECONDS.length + 7 * 24;

/**
 * Links numbers to their approved registrations with the registry, a few concurrently. Stores
 * results after each few, so that another worker can continue after a crash.
 */
export const linkTask = defineTask<typeof Link, NumberLinksDeps>({
  name: "numbers.link",
  payload: Link,
  retryDelaysSeconds: [5, 30, 120, 600, 1_800, 7_200],
  timeoutMs: 120_000,
  async run(deps, payload, signal): Promise<TaskOutcome> {
    const { shard, account_id, link_id } = payload;
    const account = { shard, id: account_id };
    const numbers = await deps.db.query<LinkedNumber>(findLinking, [account.id, link_id]);
    let unavailable: string | null = null;
    let pending: string | null = null;
    for (let start = 0; start < numbers.length; start += deps.linksAtOnce) {
      if (signal.aborted) return { retry: "There was no time left." };
      const some = numbers.slice(start, start + deps.linksAtOnce);
      const results = await Promise.all(some.map((number) => linkOne(deps, account, number)));
      const byId = new Map(some.map(({ id }, index) => [id, results[index] as LinkResult]));
      await deps.db.tx((tx) => settle(deps, tx, account, link_id, (id) => byId.get(id) ?? null));
      for (const result of results) {
        if (result.kind === "unavailable") unavailable = result.reason;
        if (result.kind === "pending") pending = result.reason;
      }
    }
    if (unavailable !== null) return { retry: unavailable };
    if (pending !== null) await askLater(deps, payload, pending);
    return "done";
  },
  async gaveUp(deps, tx, payload, why) {
    await giveUp(deps, tx, payload, why);
  },
});

/** Asks again later: a registry's work is no failure, so that it takes no retry. */
async function askLater(deps: NumberLinksDeps, payload: Link, why: string): Promise<void> {
  const calls = payload.pending_calls ?? 0;
  const seconds = PENDING_DELAYS_SECONDS[calls] ?? HOUR_SECONDS;
  await deps.db.tx(async (tx) => {
    if (calls >= PENDING_CALLS_MAX) return await giveUp(deps, tx, payload, why);
    const owner = { shard: payload.shard, accountId: payload.account_id };
    const next = { ...payload, pending_calls: calls + 1 };
    await enqueue(deps, tx, owner, linkTask, next, deps.clock.now() + seconds * 1_000);
  });
}

async function giveUp(
  deps: NumberLinksDeps,
  tx: Tx,
  { shard, account_id, link_id }: Link,
  why: string,
): Promise<void> {
  const reason = `It could not be linked to its registration: ${sentence(why)} Link it again to retry.`;
  await settle(deps, tx, { shard, id: account_id }, link_id, () => ({ kind: "refused", reason }));
}

async function linkOne(
  deps: NumberLinksDeps,
  account: AccountRef,
  { registration_id, phone_number }: LinkedNumber,
): Promise<LinkResult> {
  if (registration_id === null) return { kind: "refused", reason: "It follows no registration." };
  return await deps.linkSender(account, registration_id, phone_number);
}

/** Stores the results for numbers that are still in this link. */
async function settle(
  deps: NumberLinksDeps,
  tx: Tx,
  account: AccountRef,
  linkId: string,
  resultOf: (numberId: string) => LinkResult | null,
): Promise<void> {
  await lockSenderStates(tx, account);
  const numbers = await tx.query<LinkedNumber>(findLinking, [account.id, linkId]);
  const changes = numbers.flatMap((number): Change[] => {
    const result = resultOf(number.id);
    return result === null ? [] : [{ number, state: stateAfter(number, result) }];
  });
  await applyChanges(deps, tx, account, changes);
}

function stateAfter(number: LinkedNumber, result: LinkResult): ComputedSenderState {
  const { registration_id, linked_to, link_id } = number;
  if (result.kind === "linked") {
    return {
      ...{ registration_id, sender_state: "active", sender_reason: null },
      ...{ linked_to: registration_id, link_id: null, link_failed_to: null },
    };
  }
  if (result.kind === "refused") {
    return {
      ...{ registration_id, sender_state: "action_needed", sender_reason: result.reason },
      ...{ linked_to: null, link_id: null, link_failed_to: registration_id },
    };
  }
  const sender_reason = `It is not linked to its registration yet, and this is tried again: ${sentence(result.reason)}`;
  return {
    ...{ registration_id, sender_state: "pending", sender_reason },
    ...{ linked_to, link_id, link_failed_to: null },
  };
}

function sentence(reason: string): string {
  return /[.!?]$/.test(reason) ? reason : `${reason}.`;
}
