import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import type { Queryable, Tx } from "../../core/db/driver/database.ts";
import { ownedFinder } from "../../http/api/owned.ts";
import { findTopicRow, lockTopicRow, readSubscribedTopics, readUnsubscribed } from "./sql.ts";

export interface TopicRow {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly default_subscribed: boolean;
  readonly opt_in_required: boolean;
  readonly created_at: number;
}

const topics = ownedFinder<TopicRow>("topic", "topic");

/** The topic that a path names, or 404. */
export function topicOf(db: Queryable, account: AccountRef, apiId: string): Promise<TopicRow> {
  return topics.inPath(db, findTopicRow, account, apiId);
}

/** The topic that a path names, locked until the transaction ends, or 404. */
export function lockTopic(tx: Tx, account: AccountRef, apiId: string): Promise<TopicRow> {
  return topics.inPath(tx, lockTopicRow, account, apiId);
}

/** The topic that a body or query names in `param`, or 400. */
export function findTopic(
  db: Queryable,
  account: AccountRef,
  apiId: string,
  param = "topic_id",
): Promise<TopicRow> {
  return topics.inField(db, findTopicRow, account, apiId, param);
}

/** Whether batches with this topic reach only people who have opted in. A deleted topic needs nothing. */
export async function topicNeedsOptIn(
  db: Queryable,
  account: AccountRef,
  topicId: string | null,
): Promise<boolean> {
  if (topicId === null) return false;
  const [row] = await db.query<TopicRow>(findTopicRow, [account.shard, account.id, topicId]);
  return row?.opt_in_required === true;
}

/** Phones that are not subscribed to a topic, by their own choice or by its default. */
export async function unsubscribedAmong(
  db: Queryable,
  account: AccountRef,
  topicId: string,
  phones: readonly string[],
): Promise<Set<string>> {
  const values = [account.shard, account.id, topicId, phones];
  const rows = await db.query<{ phone: string }>(readUnsubscribed, values);
  return new Set(rows.map((row) => row.phone));
}

/** Topics (UUIDs) that a phone is subscribed to. */
export async function subscribedTopics(
  db: Queryable,
  account: AccountRef,
  topicIds: readonly string[],
  phone: string,
): Promise<Set<string>> {
  const values = [account.shard, account.id, topicIds, phone];
  const rows = await db.query<{ id: string }>(readSubscribedTopics, values);
  return new Set(rows.map((row) => row.id));
}
