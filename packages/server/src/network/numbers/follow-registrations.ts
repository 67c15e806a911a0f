/**
 * Recomputes sender states from an account's registrations.
 *
 * `lockSenderStates` serializes every change of a registration, purchase, link and link result of an
 * account. This keeps a registration from exceeding its limit of numbers.
 */
import type { Base } from "../../core/base.ts";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { enqueue } from "../../core/queue/task.ts";
import { linkTask } from "./link-task.ts";
import { applyChanges } from "./move-senders.ts";
import { findLinkedNumbers } from "./registration-sql.ts";
import {
  type ComputedSenderState,
  type LinkedNumber,
  type RegistrationState,
  senderStatesOf,
} from "./sender-state.ts";

/** `isNew`: whether this transaction bought the number; new numbers get no state event. */
export async function followRegistrations(
  deps: Base,
  tx: Tx,
  account: AccountRef,
  registrations: readonly RegistrationState[],
  isNew: (numberId: string) => boolean = () => false,
): Promise<void> {
  const numbers = await tx.query<LinkedNumber>(findLinkedNumbers, [account.id]);
  const linkId = deps.ids.make();
  const states = senderStatesOf(numbers, registrations, linkId, deps.config.tollFree);
  const changes = numbers.flatMap((number) => {
    const state = states.get(number.id);
    return state === undefined || isSame(number, state) ? [] : [{ number, state }];
  });
  await applyChanges(deps, tx, account, changes, isNew);
  if (!changes.some(({ state }) => state.link_id === linkId)) return;
  const owner = { shard: account.shard, accountId: account.id };
  const payload = { shard: account.shard, account_id: account.id, link_id: linkId };
  await enqueue(deps, tx, owner, linkTask, payload, deps.clock.now());
}

const FIELDS = [
  "registration_id",
  "sender_state",
  "sender_reason",
  "linked_to",
  "link_id",
  "link_failed_to",
] as const;

function isSame(number: LinkedNumber, state: ComputedSenderState): boolean {
  return FIELDS.every((field) => number[field] === state[field]);
}
