import { statement } from "../../core/db/driver/statement.ts";

export const ACCOUNT_COLUMNS =
  "a.id, a.shard, a.name, a.status, a.live_access, a.rate_limit, a.daily_message_quota, a.phrase_opt_out, a.smart_encoding, a.quiet_hours, a.opt_in_required, a.redact_after_days, a.created_at";

export const insertAccount = statement(
  "insert_account",
  `insert into accounts (id, shard, name, status, live_access, phrase_opt_out, created_at)
   values ($1, $2, $3, 'active', 'none', 'opt_out', $4)`,
);

export const insertCounters = statement(
  "insert_account_counters",
  "insert into account_counters (shard, account_id) values ($1, $2)",
);

export const findAccount = statement(
  "find_account",
  `select ${ACCOUNT_COLUMNS} from accounts a where a.id = $1`,
);

/** Deleted accounts stay until their rows are erased. */
export const findOpenAccount = statement(
  "find_open_account",
  `select ${ACCOUNT_COLUMNS} from accounts a where a.id = $1 and a.deleted_at is null`,
);

export const findAccounts = statement(
  "find_accounts",
  `select ${ACCOUNT_COLUMNS} from accounts a where a.id = any($1::uuid[])`,
);

/** Locks the account's row until the transaction ends. */
export const lockAccount = statement(
  "lock_account",
  `select ${ACCOUNT_COLUMNS} from accounts a where a.id = $1 for update`,
);

// null keeps a value; columns that may be null have a switch.
export const updateAccount = statement(
  "update_account",
  `update accounts a
      set status = coalesce($2, a.status), live_access = coalesce($3, a.live_access),
          rate_limit = case when $4 then $5 else a.rate_limit end,
          daily_message_quota = case when $12 then $6 else a.daily_message_quota end,
          phrase_opt_out = coalesce($7, a.phrase_opt_out),
          smart_encoding = coalesce($8, a.smart_encoding),
          quiet_hours = case when $9 then $10 else a.quiet_hours end,
          name = coalesce($11, a.name), opt_in_required = coalesce($13, a.opt_in_required),
          redact_after_days = case when $14 then $15 else a.redact_after_days end
    where a.id = $1
   returning ${ACCOUNT_COLUMNS}`,
);
