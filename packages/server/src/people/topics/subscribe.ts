import type { Base } from "../../core/base.ts";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { expect } from "../../core/platform/assert.ts";
import { writeSubscription } from "./sql.ts";

export interface SubscriptionRow {
  readonly topic_id: string;
  readonly phone_number: string;
  readonly id: string;
  readonly subscribed: boolean;
  readonly created_at: number;
  readonly updated_at: number;
}

/** Stores the subscription of a phone (E.164) to a topic (UUID), in the caller's transaction. */
export async function subscribe(
  deps: Base,
  tx: Tx,
  account: AccountRef,
  choice: { readonly topicId: string; readonly phone: string; readonly subscribed: boolean },
): Promise<{ readonly row: SubscriptionRow; readonly isNew: boolean }> {
  const now = deps.clock.now();
  const [written] = await tx.query<SubscriptionRow & { is_new: boolean }>(writeSubscription, [
    account.shard,
    account.id,
    choice.topicId,
    choice.phone,
    deps.ids.makeAt(now),
    choice.subscribed,
    new Date(now),
  ]);
  const { is_new, ...row } = expect(written, "a subscription was not written");
  return { row, isNew: is_new };
}
