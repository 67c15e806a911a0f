import type { SenderState } from "@longwave/contract";
import type { Base } from "../base.ts";
import type { AccountRef } from "../db/account-cache.ts";
import type { Tx } from "../db/database.ts";
import { notify } from "../db/notifications.ts";
import { append } from "../events/index.ts";
import { assert } from "../platform/assert.ts";
import { toApiId } from "../platform/ids.ts";
import { describeSenders, lockSenders, moveSenders } from "./registration-sql.ts";
import type { Follower, Standing } from "./standing.ts";

export interface Change {
  readonly number: Follower;
  readonly standing: Standing;
}

/** Waits for whoever changes numbers or registrations of this account right now. */
export async function lockFollowers(tx: Tx, account: AccountRef): Promise<void> {
  await tx.query(lockSenders, [account.id]);
}

/** Writes how numbers stand from now on, with one event for each state that changes. */
export async function applyChanges(
  deps: Base,
  tx: Tx,
  account: AccountRef,
  changes: readonly Change[],
  isNew: (numberId: string) => boolean = () => false,
): Promise<void> {
  if (changes.length === 0) return;
  const rows = changes.map(({ number, standing }) => ({ id: number.id, ...standing }));
  await tx.query(describeSenders, [JSON.stringify(rows)]);
  const moved = changes.filter(
    ({ number, standing }) => number.sender_state !== standing.sender_state,
  );
  if (moved.length > 0) await move(deps, tx, moved);
  const told = moved.filter(({ number }) => !isNew(number.id));
  const owner = { shard: account.shard, accountId: account.id };
  await append(deps, tx, owner, told.map(eventOf));
  await notify(tx, "longwave_cache", account.id);
}

async function move(deps: Base, tx: Tx, moved: readonly Change[]): Promise<void> {
  const rows: { id: string; after: SenderState }[] = moved.map(({ number, standing }) => ({
    id: number.id,
    after: standing.sender_state,
  }));
  const values = [JSON.stringify(rows), new Date(deps.clock.now())];
  const written = await tx.query(moveSenders, values);
  assert(written.length === rows.length, "a number's standing changed along no row of its table");
}

function eventOf({ number, standing }: Change) {
  const { registration_id, sender_state, sender_reason } = standing;
  const customerId = number.customer_id;
  return {
    type: "number.sender_updated" as const,
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
