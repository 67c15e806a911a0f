import { ownedFinder } from "../api/owned.ts";
import type { AccountRef } from "../db/account-cache.ts";
import type { Queryable, Tx } from "../db/database.ts";
import { findTopicRow, lockTopicRow, readSubscribedTopics, readUnsubscribed } from "./sql.ts";

export interface TopicRow {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly default_subscribed: boolean;
  readonly created_at: number;
}

const topics = ownedFinder<TopicRow>("topic", "topic");

/** The topic that a path names, or 404. */
export function topicOf(db: Queryable, account: AccountRef, apiId: string): Promise<TopicRow> {
  return topics.inPath(db, findTopicRow, account, apiId);
}

/** The same, locked until the transaction ends. */
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

/** Which of these phones do not get what is sent under a topic: they unsubscribed, or never chose it. */
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

/** Which of these topics (UUIDs) a phone gets. */
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
