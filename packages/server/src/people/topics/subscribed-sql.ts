import type { AccountRef } from "../db/account-cache.ts";
import { type Fragment, sql } from "../db/sql-builder.ts";

/**
 * Whether a phone gets what is sent under a topic, as a part of another domain's statement. Who
 * chose is looked up by the primary key; everybody else has the topic's default, which is read once.
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
