import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import { type Fragment, sql } from "../../core/db/driver/sql-builder.ts";

/**
 * Condition: a phone is subscribed to a topic. For statements of other modules. Subscriptions are
 * looked up by primary key; phones without one have the topic's default, which is read once.
 */
export function isSubscribed(account: AccountRef, topicId: string, phone: Fragment): Fragment {
  return sql`coalesce(
    (select ts.subscribed from topic_subscriptions ts
      where ts.shard = ${account.shard} and ts.account_id = ${account.id}
        and ts.topic_id = ${topicId}::uuid and ts.phone_number = ${phone}),
    (select t.default_subscribed from topics t
      where t.shard = ${account.shard} and t.account_id = ${account.id} and t.id = ${topicId}::uuid),
    false)`;
}
