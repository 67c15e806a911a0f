import {
  formatTimestamp,
  Problem,
  TOPICS_MAX,
  type Topic,
  type TopicSubscription,
} from "@longwave/contract";
import { recordBy } from "../../account/accounts/index.ts";
import { changesBetween } from "../../account/audit/index.ts";
import { composed, type Fragment, join, raw, sql } from "../../core/db/driver/sql-builder.ts";
import { expect } from "../../core/platform/assert.ts";
import { toApiId } from "../../core/platform/ids.ts";
import type { HandlersOf } from "../../http/api/handler.ts";
import { pageAnswer, pageRequest } from "../../http/api/pages.ts";
import { parsePhone, phoneOf } from "../../http/api/phone-input.ts";
import { lockTopic, type TopicRow, topicOf } from "./find.ts";
import {
  countTopics,
  deleteTopic,
  insertTopic,
  lockTopics,
  SUBSCRIPTION_COLUMNS,
  TOPIC_COLUMNS,
  updateTopic,
} from "./sql.ts";
import { type SubscriptionRow, subscribe } from "./subscribe.ts";

type Names =
  | "topics.create"
  | "topics.list"
  | "topics.get"
  | "topics.update"
  | "topics.delete"
  | "topics.subscribe"
  | "topics.subscriptions";

export const topicHandlers: HandlersOf<Names> = {
  "topics.create": async (context, { body }) => {
    const { deps, caller, transact } = context;
    return transact(async (tx) => {
      const { account } = caller;
      await tx.query(lockTopics, [account.shard, account.id]);
      const [count] = await tx.query<{ topics: number }>(countTopics, [account.shard, account.id]);
      if ((count?.topics ?? 0) >= TOPICS_MAX) {
        throw new Problem(
          "limit_reached",
          `An account has at most ${TOPICS_MAX} topics. Delete one that is no longer used.`,
        );
      }
      const now = deps.clock.now();
      const [row] = await tx.query<TopicRow>(insertTopic, [
        account.shard,
        account.id,
        deps.ids.makeAt(now),
        body.name,
        body.description ?? null,
        body.default !== "unsubscribed",
        new Date(now),
        body.opt_in_required === true,
      ]);
      const made = expect(row, "a topic was not written");
      await recordBy(context, tx, "topic.created", toApiId("topic", made.id), body);
      return { status: 201, body: present(made) };
    });
  },

  "topics.list": async ({ deps, caller }, { query }) => {
    const { account } = caller;
    const scope = { list: "topics.list", owner: account.id, filters: {} };
    const page = pageRequest(deps.secrets, scope, query);
    const conditions: Fragment[] = [
      sql`shard = ${account.shard} and account_id = ${account.id} and deleted_at is null`,
    ];
    if (page.after) conditions.push(sql`id < ${page.after[0]}::uuid`);
    const rows = await deps.db.query<TopicRow>(
      composed(
        "list_topics",
        sql`select ${raw(TOPIC_COLUMNS)} from topics where ${join(conditions, " and ")}
             order by id desc limit ${page.limit + 1}`,
      ),
    );
    const body = pageAnswer(deps.secrets, scope, page, rows, (row) => [row.id], present);
    return { status: 200, body };
  },

  "topics.get": async ({ deps, caller }, { params }) => ({
    status: 200,
    body: present(await topicOf(deps.db, caller.account, params.id)),
  }),

  "topics.update": async (context, { params, body }) => {
    const { caller, transact } = context;
    return transact(async (tx) => {
      const { account } = caller;
      const before = await lockTopic(tx, account, params.id);
      const { name = before.name, description = before.description } = body;
      const default_subscribed =
        body.default === undefined ? before.default_subscribed : body.default === "subscribed";
      const opt_in_required = body.opt_in_required ?? before.opt_in_required;
      const wanted = { ...before, name, description, default_subscribed, opt_in_required };
      const changes = changesBetween(present(before), present(wanted));
      if (changes === null) return { status: 200, body: present(before) };
      const owner = [account.shard, account.id, before.id];
      const values = [...owner, name, description, default_subscribed, opt_in_required];
      const [row] = await tx.query<TopicRow>(updateTopic, values);
      await recordBy(context, tx, "topic.updated", params.id, changes);
      return { status: 200, body: present(expect(row, "a locked topic is gone")) };
    });
  },

  "topics.delete": async (context, { params }) => {
    const { deps, caller, transact } = context;
    return transact(async (tx) => {
      const { account } = caller;
      const row = await lockTopic(tx, account, params.id);
      const now = new Date(deps.clock.now());
      await tx.query(deleteTopic, [account.shard, account.id, row.id, now]);
      await recordBy(context, tx, "topic.deleted", params.id, { name: row.name });
      return { status: 200, body: present(row) };
    });
  },

  "topics.subscribe": async ({ deps, caller, transact }, { params, body }) => {
    const phone = parsePhone(deps, body.phone_number);
    if (!phone.ok) throw new Problem("invalid_request", phone.reason, { param: "phone_number" });
    return transact(async (tx) => {
      const topic = await topicOf(tx, caller.account, params.id);
      const choice = { topicId: topic.id, phone: phone.e164, subscribed: body.subscribed };
      const { row, isNew } = await subscribe(deps, tx, caller.account, choice);
      return { status: isNew ? 201 : 200, body: presentSubscription(row) };
    });
  },

  "topics.subscriptions": async ({ deps, caller }, { params, query }) => {
    const { account } = caller;
    const topic = await topicOf(deps.db, account, params.id);
    const phone =
      query.phone_number === undefined ? undefined : phoneOf(query.phone_number, "phone_number");
    const scope = {
      list: "topics.subscriptions",
      owner: account.id,
      filters: { topic: topic.id, subscribed: query.subscribed, phone },
    };
    const page = pageRequest(deps.secrets, scope, query);
    const conditions: Fragment[] = [
      sql`shard = ${account.shard} and account_id = ${account.id} and topic_id = ${topic.id}`,
    ];
    if (phone !== undefined) conditions.push(sql`phone_number = ${phone}`);
    if (query.subscribed !== undefined) conditions.push(sql`subscribed = ${query.subscribed}`);
    if (page.after) conditions.push(sql`id < ${page.after[0]}::uuid`);
    const rows = await deps.db.query<SubscriptionRow>(
      composed(
        "list_topic_subscriptions",
        sql`select ${raw(SUBSCRIPTION_COLUMNS)} from topic_subscriptions
             where ${join(conditions, " and ")} order by id desc limit ${page.limit + 1}`,
        query.subscribed === undefined ? {} : { profile: "scans" },
      ),
    );
    const keyOf = (row: SubscriptionRow) => [row.id];
    const body = pageAnswer(deps.secrets, scope, page, rows, keyOf, presentSubscription);
    return { status: 200, body };
  },
};

function present(row: TopicRow): Topic {
  return {
    id: toApiId("topic", row.id),
    object: "topic",
    name: row.name,
    description: row.description,
    opt_in_required: row.opt_in_required,
    default: row.default_subscribed ? "subscribed" : "unsubscribed",
    created_at: formatTimestamp(row.created_at),
  };
}

function presentSubscription(row: SubscriptionRow): TopicSubscription {
  return {
    object: "topic_subscription",
    topic_id: toApiId("topic", row.topic_id),
    phone_number: row.phone_number,
    subscribed: row.subscribed,
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
  };
}
