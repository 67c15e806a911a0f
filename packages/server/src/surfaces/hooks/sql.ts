import { statement } from "../../core/db/driver/statement.ts";

export const HOOK_COLUMNS = `shard, account_id, id, mode, name, preset, sender, recipients, declaration, secret,
  messages_per_minute, messages_per_phone_hour, active, created_at`;

// The lowest free slot. Returns no row when none is free.
export const insertHook = statement(
  "insert_hook",
  `insert into hooks (shard, account_id, id, slot, mode, name, preset, sender, recipients, declaration, secret,
     messages_per_minute, messages_per_phone_hour, active, created_at)
   select $1, $2, $3, s.slot, $4, $5, $6, $7, $8, $9::jsonb, $10, $11, $12, true, $13
     from generate_series(1, $14::int) as s (slot)
    where not exists (
      select 1 from hooks h where h.shard = $1 and h.account_id = $2 and h.slot = s.slot)
    order by s.slot limit 1
   returning ${HOOK_COLUMNS}`,
);

/** Serialises the creation of hooks of an account. */
export const lockHookAccount = statement(
  "lock_hook_account",
  "select 1 as locked from account_counters where shard = $1 and account_id = $2 for update",
);

export const findHook = statement(
  "find_hook",
  `select ${HOOK_COLUMNS} from hooks where shard = $1 and account_id = $2 and id = $3`,
);

export const lockHook = statement(
  "lock_hook",
  `select ${HOOK_COLUMNS} from hooks where shard = $1 and account_id = $2 and id = $3 for update`,
);

/** A call names the hook alone. */
export const findCalledHook = statement(
  "find_called_hook",
  `select ${HOOK_COLUMNS} from hooks where id = $1`,
  { acrossShards: "a call names the hook alone" },
);

export const updateHook = statement(
  "update_hook",
  `update hooks set name = $4, preset = $5, sender = $6, recipients = $7, declaration = $8::jsonb, secret = $9,
     messages_per_minute = $10, messages_per_phone_hour = $11, active = $12
    where shard = $1 and account_id = $2 and id = $3
   returning ${HOOK_COLUMNS}`,
);

export const deleteHook = statement(
  "delete_hook",
  "delete from hooks where shard = $1 and account_id = $2 and id = $3",
);

export const insertRequest = statement(
  "insert_hook_request",
  `insert into hook_requests (shard, account_id, id, hook_id, mode, status, error_code, error_message, error_param, paths)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
);

/** Notes a call with a wrong secret, unless one was noted since the request id $11. */
export const insertRefusedRequest = statement(
  "insert_refused_hook_request",
  `insert into hook_requests (shard, account_id, id, hook_id, mode, status, error_code, error_message, error_param, paths)
   select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10
    where not exists (
      select 1 from hook_requests r where r.shard = $1 and r.hook_id = $4 and r.id >= $11 and r.status = 401)`,
);

export const insertMessages = statement(
  "insert_hook_messages",
  `insert into hook_messages (shard, account_id, id, hook_id, request_id, phone, body, error_code, error_message, error_param)
   select $1, $2, m.id, $3, $4, m.phone, m.body, m.error_code, m.error_message, m.error_param
     from jsonb_to_recordset($5::jsonb) as m (id uuid, phone text, body text, error_code text,
          error_message text, error_param text)`,
);

export const updateMessage = statement(
  "update_hook_message",
  `update hook_messages set message_id = $4, error_code = $5, error_message = $6, error_param = $7
    where shard = $1 and account_id = $2 and id = $3`,
);

/** Messages of a hook that count for its limits: in the last minute, and to each phone in the hour. */
export const countSent = statement(
  "count_hook_messages",
  `select null as phone, count(*)::int as sent, min(id::text) as first_id from hook_messages
    where shard = $1 and hook_id = $2 and id >= $3 and error_code is null
   union all
   select phone, count(*)::int as sent, min(id::text) as first_id from hook_messages
    where shard = $1 and hook_id = $2 and id >= $4 and error_code is null and phone = any($5)
    group by phone`,
);

export const listMessagesOf = statement(
  "list_hook_messages",
  `select request_id, phone, body, message_id, error_code, error_message, error_param from hook_messages
    where shard = $1 and request_id = any($2) order by request_id, id`,
);
