import { statement } from "../../core/db/driver/statement.ts";

export const TOPIC_COLUMNS =
  "id, name, description, default_subscribed, opt_in_required, created_at";
export const SUBSCRIPTION_COLUMNS =
  "topic_id, phone_number, id, subscribed, created_at, updated_at";

/** Locks the account, so that parallel requests cannot exceed TOPICS_MAX. */
export const lockTopics = statement(
  "lock_topics",
  "select 1 from account_counters where shard = $1 and account_id = $2 for no key update",
);

export const countTopics = statement(
  "count_topics",
  `select count(*)::int as topics from topics
    where shard = $1 and account_id = $2 and deleted_at is null`,
);

export const insertTopic = statement(
  "insert_topic",
  `insert into topics (shard, account_id, id, name, description, default_subscribed, created_at, opt_in_required)
   values ($1, $2, $3, $4, $5, $6, $7, $8) returning ${TOPIC_COLUMNS}`,
);

export const findTopicRow = statement(
  "find_topic",
  `select ${TOPIC_COLUMNS} from topics
    where shard = $1 and account_id = $2 and id = $3 and deleted_at is null`,
);

export const lockTopicRow = statement(
  "lock_topic",
  `select ${TOPIC_COLUMNS} from topics
    where shard = $1 and account_id = $2 and id = $3 and deleted_at is null for update`,
);

export const updateTopic = statement(
  "update_topic",
  `update topics set name = $4, description = $5, default_subscribed = $6, opt_in_required = $7
    where shard = $1 and account_id = $2 and id = $3 returning ${TOPIC_COLUMNS}`,
);

export const deleteTopic = statement(
  "delete_topic",
  "update topics set deleted_at = $4 where shard = $1 and account_id = $2 and id = $3",
);

export const writeSubscription = statement(
  "write_topic_subscription",
  `insert into topic_subscriptions as s
     (shard, account_id, topic_id, phone_number, id, subscribed, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $7)
   on conflict (shard, account_id, topic_id, phone_number) do update
     set subscribed = excluded.subscribed,
         updated_at = case when s.subscribed = excluded.subscribed then s.updated_at
                           else excluded.updated_at end
   returning ${SUBSCRIPTION_COLUMNS}, id = $5 as is_new`,
);

/** Phones among $4 that are not subscribed to a topic. Deleted topics count, too. */
export const readUnsubscribed = statement(
  "read_topic_unsubscribed",
  `select u.phone from unnest($4::text[]) as u (phone)
     join topics t on t.shard = $1 and t.account_id = $2 and t.id = $3
     left join topic_subscriptions s
       on s.shard = $1 and s.account_id = $2 and s.topic_id = $3 and s.phone_number = u.phone
    where not coalesce(s.subscribed, t.default_subscribed)`,
);

/** Topics among $3 that a phone ($4) is subscribed to. */
export const readSubscribedTopics = statement(
  "read_subscribed_topics",
  `select t.id from topics t
     left join topic_subscriptions s
       on s.shard = $1 and s.account_id = $2 and s.topic_id = t.id and s.phone_number = $4
    where t.shard = $1 and t.account_id = $2 and t.id = any($3::uuid[])
      and coalesce(s.subscribed, t.default_subscribed)`,
);

export const findTopicIds = statement(
  "find_topic_ids",
  "select id from topics where shard = $1 and account_id = $2 and id = any($3::uuid[])",
);
