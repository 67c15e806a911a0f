import { statement } from "../db/statement.ts";

export const findClaim = statement(
  "find_idempotency_key",
  `select fingerprint, object_id, status, response, encrypted from idempotency_keys
    where shard = $1 and account_id = $2 and mode = $3 and key_hash = $4 and expires_at > $5`,
);

// A claim that has expired is taken over; one that has not makes the insert return nothing. While
// another transaction holds the claim uncommitted, this waits for it.
export const insertClaim = statement(
  "insert_idempotency_key",
  `insert into idempotency_keys as k
     (shard, account_id, mode, key_hash, fingerprint, created_at, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7)
   on conflict (shard, account_id, mode, key_hash) do update
     set fingerprint = excluded.fingerprint, created_at = excluded.created_at,
         expires_at = excluded.expires_at, object_id = null, status = null, response = null
   where k.expires_at <= excluded.created_at
   returning 1 as claimed`,
);

export const storeAnswer = statement(
  "store_idempotent_answer",
  `update idempotency_keys set status = $5, response = $6, encrypted = $7
    where shard = $1 and account_id = $2 and mode = $3 and key_hash = $4`,
);

export const deleteClaim = statement(
  "delete_idempotency_key",
  `delete from idempotency_keys
    where shard = $1 and account_id = $2 and mode = $3 and key_hash = $4`,
);

export const setClaimExpiry = statement(
  "set_idempotency_expiry",
  `update idempotency_keys set expires_at = $5
    where shard = $1 and account_id = $2 and mode = $3 and key_hash = $4`,
);
