import { statement } from "../../core/db/driver/statement.ts";

/** An account's limit, its spending in the month $3, and the thresholds already announced in it. */
export const findSpendLimit = statement(
  "find_spend_limit",
  `select c.spend_limit_micros, c.reserved_micros,
          case when c.spent_month = $3::date then greatest(c.spent_micros, 0) else 0 end as spent_micros,
          l.alert_thresholds, case when l.alerted_month = $3::date then l.alerted_thresholds end as alerted_thresholds
     from account_counters c
     left join spend_limits l on l.shard = $1 and l.account_id = c.account_id
    where c.shard = $1 and c.account_id = $2`,
);

/**
 * Blocks spending, limit changes and alerts until the transaction ends. A statement of its own, so that later reads see
 * everything committed before the lock.
 */
export const lockSpending = statement(
  "lock_spending",
  `select account_id from account_counters where shard = $1 and account_id = $2 for update`,
);

export const writeSpendLimit = statement(
  "write_spend_limit",
  `update account_counters set spend_limit_micros = $3 where shard = $1 and account_id = $2`,
);

export const writeThresholds = statement(
  "write_spend_thresholds",
  `insert into spend_limits (shard, account_id, alert_thresholds, updated_at) values ($1, $2, $3, $4)
   on conflict (shard, account_id) do update
     set alert_thresholds = excluded.alert_thresholds, updated_at = excluded.updated_at`,
);

/** $4: all thresholds announced in the month $3. */
export const writeAlerted = statement(
  "write_alerted_thresholds",
  `update spend_limits set alerted_month = $3::date, alerted_thresholds = $4
    where shard = $1 and account_id = $2`,
);

/** Spending at which the next alert is due; null when none is left. */
export const writeNextAlert = statement(
  "write_next_spend_alert",
  `update account_counters set next_alert_micros = $3 where shard = $1 and account_id = $2`,
);

export interface AlertedSpending {
  readonly account_id: string;
  readonly threshold: number;
}

/** Accounts with a threshold announced in the month $1, each with the highest. */
export const listAlerted = statement(
  "list_alerted_spending",
  `select account_id, (select max(t) from unnest(alerted_thresholds) t)::int as threshold from spend_limits
    where alerted_month = $1::date and cardinality(alerted_thresholds) > 0 order by account_id limit 1000`,
  { acrossShards: "the installation mails the thresholds that any account has passed" },
);
