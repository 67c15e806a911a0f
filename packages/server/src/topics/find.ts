import { Problem } from "@longwave/contract";
import type { AccountRef } from "../db/account-cache.ts";
import type { Queryable, Tx } from "../db/database.ts";
import type { Statement } from "../db/statement.ts";
import { fromApiId } from "../platform/ids.ts";
import { findTopicRow, lockTopicRow, readSubscribedTopics, readUnsubscribed } from "./sql.ts";

export interface TopicRow {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly default_subscribed: boolean;
  readonly created_at: number;
}

/** The topic that a path names, or 404. */
export function topicOf(db: Queryable, account: AccountRef, apiId: string): Promise<TopicRow> {
  return namedByPath(db, findTopicRow, account, apiId);
}

/** The same, locked until the transaction ends. */
export function lockTopic(tx: Tx, account: AccountRef, apiId: string): Promise<TopicRow> {
  return namedByPath(tx, lockTopicRow, account, apiId);
}

async function namedByPath(
  db: Queryable,
  how: Statement,
  account: AccountRef,
  apiId: string,
): Promise<TopicRow> {
  const row = await readTopic(db, how, account, apiId);
  if (!row) throw new Problem("not_found", `There is no topic ${apiId.slice(0, 64)}.`);
  return row;
}

async function readTopic(
  db: Queryable,
  how: Statement,
  account: AccountRef,
  apiId: string,
): Promise<TopicRow | null> {
  const id = fromApiId("topic", apiId);
  const [row] = id ? await db.query<TopicRow>(how, [account.shard, account.id, id]) : [];
  return row ?? null;
}

/** The topic that a body or query names in `param`, or 400. */
export async function findTopic(
  db: Queryable,
  account: AccountRef,
  apiId: string,
  param = "topic_id",
): Promise<TopicRow> {
  const row = await readTopic(db, findTopicRow, account, apiId);
  if (row) return row;
  throw new Problem("invalid_request", `${param}: there is no topic ${apiId.slice(0, 64)}.`, {
    param,
  });
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
