import { statement } from "../db/statement.ts";

/** An account's limit, how far the month of $3 has come, and what it has been told of in it. */
export const findSpendLimit = statement(
  "find_spend_limit",
  `select c.spend_limit_micros, c.reserved_micros,
          case when c.spent_month = $3::date then c.spent_micros else 0 end as spent_micros,
          l.alert_thresholds, case when l.told_month = $3::date then l.told_thresholds end as told_thresholds
     from account_counters c
     left join spend_limits l on l.shard = $1 and l.account_id = c.account_id
    where c.shard = $1 and c.account_id = $2`,
);

/**
 * Nobody spends, changes the limit or tells of it before the transaction is over. A statement of its
 * own: what is read after it was committed before the lock was given.
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

/** $4: all that the account has been told of in the month of $3. */
export const writeTold = statement(
  "write_told_thresholds",
  `update spend_limits set told_month = $3::date, told_thresholds = $4
    where shard = $1 and account_id = $2`,
);

/** The spending at which the account is told next; null when there is nothing left to tell. */
export const writeNextAlert = statement(
  "write_next_spend_alert",
  `update account_counters set next_alert_micros = $3 where shard = $1 and account_id = $2`,
);
