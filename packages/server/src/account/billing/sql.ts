import { statement } from "../../core/db/driver/statement.ts";

/**
 * Every statement on an account's money: the money columns of its counters, and the ledger. `owner.test.ts` asserts
 * that no other folder names them.
 */

/**
 * Adds to the month's spending. `month` is the month of the ledger entry: an entry from a slow clock at the start of a
 * month belongs to the old month, whose counter is no longer needed.
 */
export function spentSets(counters: string, spent: string, month: string): string {
  return `spent_micros = case when ${counters}.spent_month = ${month} then ${counters}.spent_micros + ${spent}
                                when ${counters}.spent_month < ${month} then ${spent}
                                else ${counters}.spent_micros end,
            spent_month = greatest(${counters}.spent_month, ${month})`;
}

/**
 * Remainder of the month's spend limit. Reservations count as spent, so that concurrent sends cannot exceed the limit
 * together. Null without a limit.
 */
export function roomLeft(month: string): string {
  return `spend_limit_micros - reserved_micros - case when spent_month = ${month} then spent_micros else 0 end`;
}

// The entry and the balance change together or not at all; an existing fact changes neither and returns no row. The
// counters are locked first, as everywhere: another order could deadlock.
export const postEntry = statement(
  "post_ledger_entry",
  `with owner as (
     select account_id from account_counters where shard = $1 and account_id = $2 for update
   ), entry as (
     insert into ledger_entries (shard, account_id, object_id, kind, period, amount_micros, note, created_at)
     select $1, o.account_id, $3, $4, $5, $6, $7, $8 from owner o
     on conflict do nothing
     returning amount_micros
   )
   update account_counters c
      set balance_micros = c.balance_micros + e.amount_micros,
          reserved_micros = c.reserved_micros - $9,
          ${spentSets("c", "$10::bigint", "$11::date")}
     from entry e
    where c.shard = $1 and c.account_id = $2
   returning c.balance_micros, c.reserved_micros`,
);

/** Reserves $3. $4 is the month for the spend limit; null skips the limit. */
export const reserveMicros = statement(
  "reserve_micros",
  `with asked as (
     select balance_micros - reserved_micros >= $3 as has_credit,
            coalesce(${roomLeft("$4::date")} >= $3, true) or $4::date is null as has_room
       from account_counters where shard = $1 and account_id = $2 for update
   ), reserved as (
     update account_counters c set reserved_micros = c.reserved_micros + $3
       from asked where c.shard = $1 and c.account_id = $2 and asked.has_credit and asked.has_room
   )
   select has_credit, has_room from asked`,
);

export const releaseMicros = statement(
  "release_micros",
  `update account_counters set reserved_micros = reserved_micros - $3
    where shard = $1 and account_id = $2`,
);

export const readBalance = statement(
  "read_balance",
  `select balance_micros, reserved_micros from account_counters where shard = $1 and account_id = $2`,
);

/** Spending of the month $3 so far. */
export const readSpent = statement(
  "read_spent",
  `select spent_micros from account_counters
    where shard = $1 and account_id = $2 and spent_month = $3::date`,
);

/** Balance and allowance of several accounts of one shard at once. */
export const readBalances = statement(
  "read_account_balances",
  `select account_id, balance_micros, reserved_micros, allowance_month, texts_used, verifications_used,
          ${roomLeft("$3::date")} as room_micros
     from account_counters where shard = $1 and account_id = any($2::uuid[])`,
);

export const readQuotaUse = statement(
  "read_quota_use",
  `select quota_used from account_counters
    where shard = $1 and account_id = $2 and quota_day = $3::date`,
);

/** Locks the counters of a group's accounts, in a fixed order, and reads their funds. */
export const lockMoney = statement(
  "lock_account_money",
  `select account_id, balance_micros - reserved_micros as available_micros, allowance_month, verifications_used,
          ${roomLeft("$3::date")} as room_micros
     from account_counters
    where shard = $1 and account_id = any($2::uuid[])
    order by account_id for update`,
);

/** Takes verifications from the month's allowance. Messages and verifications share its month. */
export const takeFreeVerifications = statement(
  "take_free_verifications",
  `update account_counters
      set verifications_used = case when allowance_month = $3::date then verifications_used else 0 end + $4,
          texts_used = case when allowance_month = $3::date then texts_used else 0 end,
          allowance_month = $3::date
    where shard = $1 and account_id = $2`,
);

// Messages are excluded: they are many, and the usage sums them by day.
export const listLedgerEntries = statement(
  "list_ledger_entries",
  `select object_id, kind, period, amount_micros, note, created_at from ledger_entries
    where shard = $1 and account_id = $2 and kind not in ('message', 'inbound')
      and ($3::timestamptz is null
           or (created_at, object_id, kind, period) < ($3::timestamptz, $4::uuid, $5::text, $6::text))
    order by created_at desc, object_id desc, kind desc, period desc
    limit $7`,
);
