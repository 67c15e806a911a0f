import { statement } from "../../core/db/driver/statement.ts";
import { ENTRY_COLUMNS_COUNT, entryRows, stateRows } from "./array-columns.ts";

export const STATE_COLUMNS =
  "phone_number, customer_id, status, seq, first_seq, source, match, note, basis, expires_at, recorded_by, updated_at";
const ENTRY_COLUMNS = `account_id, mode, seq, id, phone_number, number_seq, customer_id, status, source, match,
  keyword, note, given_at, message_id, texted_number, carrier, basis, expires_at, evidence, recorded_by, created_at,
  previous_hash, hash, chain_hash`;

/** Head of the chain of a mode, as columns of account_counters. */
function chainHead(mode: string): string {
  return `case ${mode}::text when 'live' then consent_seq else sandbox_consent_seq end as consent_seq,
          case ${mode}::text when 'live' then consent_hash else sandbox_consent_hash end as consent_hash`;
}

/**
 * Locks the account's counter row. Accepting messages takes the same lock, so opt-outs and sends are
 * serialised. A separate statement, so that the next one sees everything committed before the lock.
 */
export const lockLedger = statement(
  "lock_consent_ledger",
  `select ${chainHead("$3")} from account_counters
    where shard = $1 and account_id = $2 for update`,
);

export const readStates = statement(
  "read_consent_states",
  `select ${STATE_COLUMNS} from consent_states
    where shard = $1 and account_id = $2 and mode = $3 and phone_number = any($4::text[])`,
);

/** States and last ledger entry of phone numbers; an unrecorded number gets one row of nulls. */
export const readNumbers = statement(
  "read_consent_numbers",
  `select given.phone, s.phone_number, s.customer_id, s.status, s.seq, s.first_seq, s.source, s.match,
          s.note, s.basis, s.expires_at, s.recorded_by, s.updated_at, last.number_seq as last_number_seq, last.hash as last_hash
     from unnest($4::text[]) as given (phone)
     left join consent_states s
       on s.shard = $1 and s.account_id = $2 and s.mode = $3 and s.phone_number = given.phone
     left join lateral (
       select number_seq, hash from consent_ledger
        where shard = $1 and account_id = $2 and mode = $3 and phone_number = given.phone
        order by number_seq desc limit 1) last on true`,
);

/** First array parameter; $1 to $6 are shard, account, now, seq and hash of the chain head, and mode. */
const FIRST_COLUMN = 7;

/** Writes ledger entries, the resulting states and the chain head. */
export const appendEntries = statement(
  "append_consent_entries",
  `with entries as (
     insert into consent_ledger (shard, account_id, mode, seq, id, phone_number, number_seq, customer_id, status,
       source, match, keyword, note, given_at, message_id, texted_number, carrier, basis, expires_at, evidence, recorded_by, created_at,
       previous_hash, hash, chain_hash)
     select $1, $2, $6, e.seq, e.id, e.phone_number, e.number_seq, e.customer_id, e.status, e.source, e.match,
            e.keyword, e.note, e.given_at, e.message_id, e.texted_number, e.carrier, e.basis, e.expires_at,
            e.evidence::json, e.recorded_by, $3,
            decode(e.previous_hash, 'hex'), decode(e.hash, 'hex'), decode(e.chain_hash, 'hex')
       from ${entryRows(FIRST_COLUMN)}
   ), states as (
     insert into consent_states as c
       (shard, account_id, mode, phone_number, customer_id, status, seq, first_seq, source, match, note, basis,
        expires_at, recorded_by, updated_at)
     select $1, $2, $6, s.phone_number, s.customer_id, s.status, s.seq, s.first_seq, s.source, s.match, s.note,
            s.basis, s.expires_at, s.recorded_by, $3
       from ${stateRows(FIRST_COLUMN + ENTRY_COLUMNS_COUNT)}
     on conflict (shard, account_id, mode, phone_number, customer_id) do update
       set status = excluded.status, seq = excluded.seq, source = excluded.source, match = excluded.match,
           note = excluded.note, basis = excluded.basis, expires_at = excluded.expires_at, recorded_by = excluded.recorded_by,
           updated_at = excluded.updated_at
   )
   update account_counters
      set consent_seq = case $6::text when 'live' then $4 else consent_seq end,
          consent_hash = case $6::text when 'live' then $5 else consent_hash end,
          sandbox_consent_seq = case $6::text when 'test' then $4 else sandbox_consent_seq end,
          sandbox_consent_hash = case $6::text when 'test' then $5 else sandbox_consent_hash end
    where shard = $1 and account_id = $2`,
);

export const readHistory = statement(
  "read_consent_history",
  `select ${ENTRY_COLUMNS} from consent_ledger
    where shard = $1 and account_id = $2 and mode = $3 and phone_number = $4 and seq <= $5
    order by number_seq desc limit $6`,
);

export const readChainHead = statement(
  "read_consent_head",
  `select ${chainHead("$3")} from account_counters where shard = $1 and account_id = $2`,
);

/** Chain hashes of a ledger after some of its entries. */
export const readChainAt = statement(
  "read_consent_chain_at",
  `select seq, chain_hash from consent_ledger
    where shard = $1 and account_id = $2 and mode = $3 and seq = any($4::bigint[])`,
);

export const readEntryHashes = statement(
  "read_consent_hashes",
  `select encode(hash, 'hex') as hash from consent_ledger
    where shard = $1 and account_id = $2 and mode = $3 and seq > $4 and seq <= $5 order by seq`,
);

/**
 * Counts an automatic reply to a phone within its limits: $8 replies of any kind an hour and $9 to HELP, or a single
 * one an hour ($10) to somebody who has opted out. Returns a row if the reply is allowed.
 */
export const countAutoReply = statement(
  "count_auto_reply",
  `insert into auto_reply_counts as c
     (shard, account_id, phone_number, texted_number, window_started_at, replies, help_replied_at, help_replies)
   values ($1, $2, $3, $4, $5::timestamptz, 1, case when $6::bool then $5::timestamptz end, $6::bool::int)
   on conflict (shard, account_id, phone_number, texted_number) do update
     set window_started_at = case when c.window_started_at <= $7::timestamptz then $5::timestamptz
                                  else c.window_started_at end,
         replies = case when c.window_started_at <= $7::timestamptz then 1 else c.replies + 1 end,
         help_replies = case when c.window_started_at <= $7::timestamptz then 0 else c.help_replies end + $6::bool::int,
         help_replied_at = case when $6::bool then $5::timestamptz else c.help_replied_at end
   where (c.window_started_at <= $7::timestamptz or c.replies < $8::int)
     and (not $6::bool or c.window_started_at <= $7::timestamptz or c.help_replies < $9::int)
     and (not $10::bool or c.help_replied_at is null or c.help_replied_at <= $7::timestamptz)
   returning replies`,
);
