import { statement } from "../../core/db/driver/statement.ts";

export const ACCOUNT_COLUMNS =
  "a.id, a.shard, a.name, a.status, a.live_access, a.rate_limit, a.daily_message_quota, a.phrase_opt_out, a.smart_encoding, a.quiet_hours, a.opt_in_required, a.redact_after_days, a.created_at";

const KEY_COLUMNS = `id, account_id, mode, name, scopes, last4, created_at, last_used_at, revoked_at,
   expires_at, allowed_ips`;

export const findKeyByHash = statement(
  "find_key_by_hash",
  `select k.id as key_id, k.name as key_name, k.mode, k.scopes, k.allowed_ips, ${ACCOUNT_COLUMNS}
     from api_keys k join accounts a on a.id = k.account_id
    where k.sha256 = $1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > $2)`,
);

/** Keys among $1 that admission refuses: revoked, expired, of a suspended account, or live without live access. */
export const findRefusedKeys = statement(
  "find_refused_keys",
  `select k.id from api_keys k join accounts a on a.id = k.account_id
    where k.id = any($1::uuid[])
      and (k.revoked_at is not null or k.expires_at <= $2 or a.status = 'suspended' or k.mode = 'live' and a.live_access <> 'granted')`,
);

/**
 * Without "on conflict": on Citus it locks accounts, which api_keys references, against all other writers. Two
 * transactions that each just created an account would deadlock.
 */
export const insertKey = statement(
  "insert_key",
  `insert into api_keys (id, account_id, mode, name, scopes, sha256, last4, created_at, expires_at, allowed_ips)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
);

export const revokeKey = statement(
  "revoke_key",
  `update api_keys set revoked_at = $2 where id = $1 and revoked_at is null
   returning ${KEY_COLUMNS}`,
);

/** Ends a key at $2, unless it ends earlier. */
export const endKey = statement(
  "end_key",
  `update api_keys set expires_at = least(expires_at, $2)
    where id = $1 and revoked_at is null and (expires_at is null or expires_at > $3)
   returning ${KEY_COLUMNS}`,
);

/** Skips a minute that another process has written already. */
export const markKeysUsed = statement(
  "mark_keys_used",
  `update api_keys k set last_used_at = i.minute
     from unnest($1::uuid[], $2::timestamptz[]) as i (id, minute)
    where k.id = i.id and (k.last_used_at is null or k.last_used_at < i.minute)`,
);

export const findKey = statement("find_key", `select ${KEY_COLUMNS} from api_keys where id = $1`);
