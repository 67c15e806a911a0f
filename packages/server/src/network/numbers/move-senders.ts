import type { SenderState } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { notify } from "../../core/db/driver/notifications.ts";
import { assert } from "../../core/platform/assert.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { append } from "../../events/log/index.ts";
import { lockSenders, moveSenders, updateSenderColumns } from "./registration-sql.ts";
import type { ComputedSenderState, LinkedNumber } from "./sender-state.ts";

export interface Change {
  readonly number: LinkedNumber;
  readonly state: ComputedSenderState;
}

/** Serializes changes of numbers and registrations of this account until commit. */
export async function lockSenderStates(tx: Tx, account: AccountRef): Promise<void> {
  await tx.query(lockSenders, [account.id]);
}

/** Stores computed sender states, with one event per changed state. */
export async function applyChanges(
  deps: Base,
  tx: Tx,
  account: AccountRef,
  changes: readonly Change[],
  isNew: (numberId: string) => boolean = () => false,
): Promise<void> {
  if (changes.length === 0) return;
  const rows = changes.map(({ number, state }) => ({ id: number.id, ...state }));
  await tx.query(updateSenderColumns, [JSON.stringify(rows)]);
  const moved = changes.filter(({ number, state }) => number.sender_state !== state.sender_state);
  if (moved.length > 0) await move(deps, tx, moved);
  const announced = moved.filter(({ number }) => !isNew(number.id));
  const owner = { shard: account.shard, accountId: account.id };
  await append(deps, tx, owner, announced.map(eventOf));
  await notify(tx, "longwave_cache", account.id);
}

async function move(deps: Base, tx: Tx, moved: readonly Change[]): Promise<void> {
  const rows: { id: string; after: SenderState }[] = moved.map(({ number, state }) => ({
    id: number.id,
    after: state.sender_state,
  }));
  const values = [JSON.stringify(rows), new Date(deps.clock.now())];
  const written = await tx.query(moveSenders, values);
  assert(written.length === rows.length, "a number's state changed along no row of its table");
}

function eventOf({ number, state }: Change) {
  const { registration_id, sender_state, sender_reason } = state;
  const customerId = number.customer_id;
  return {
    type: "number.sender_updated" as const,
    mode: "live" as const,
    customerId,
    data: {
      phone_number: number.phone_number,
      mode: "live" as const,
      state: sender_state,
      previous_state: number.sender_state,
      registration_id: registration_id === null ? null : toApiId("registration", registration_id),
      reason: sender_reason,
      ...(customerId === null ? {} : { customer_id: toApiId("customer", customerId) }),
    },
  };
}
