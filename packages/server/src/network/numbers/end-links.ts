import type { Base } from "../../core/base.ts";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import type { Queryable, Tx } from "../../core/db/driver/database.ts";
import { applyChanges, type Change, lockSenderStates } from "./move-senders.ts";
import { findLinkedNumbers } from "./registration-sql.ts";
import type { LinkedNumber } from "./sender-state.ts";

/** Numbers that are linked to a registration. */
export async function linkedPhones(
  db: Queryable,
  account: AccountRef,
  registrationId: string,
): Promise<string[]> {
  const numbers = await db.query<LinkedNumber>(findLinkedNumbers, [account.id]);
  return numbers.flatMap((one) => (one.linked_to === registrationId ? one.phone_number : []));
}

/** Ends links that the registry has ended, with its reason by phone. Another link request starts again. */
export async function endLinks(
  deps: Base,
  tx: Tx,
  account: AccountRef,
  registrationId: string,
  reasons: ReadonlyMap<string, string>,
): Promise<void> {
  await lockSenderStates(tx, account);
  const numbers = await tx.query<LinkedNumber>(findLinkedNumbers, [account.id]);
  const changes = numbers.flatMap((number): Change[] => {
    const reason = reasons.get(number.phone_number);
    if (number.linked_to !== registrationId || reason === undefined) return [];
    const state = {
      registration_id: number.registration_id,
      linked_to: null,
      link_id: null,
      link_failed_to: registrationId,
    };
    // The operator's vouch stands whatever the registry says.
    const kept = { sender_state: number.sender_state, sender_reason: number.sender_reason };
    const ended = { sender_state: "action_needed" as const, sender_reason: reason };
    return [{ number, state: { ...state, ...(number.is_vouched ? kept : ended) } }];
  });
  await applyChanges(deps, tx, account, changes);
}
