import { statement } from "../db/statement.ts";

/**
 * Every statement on the money of an account: the columns of its counters that hold it, and the
 * ledger. Nobody else names them; `billing.test.ts` sees to it.
 */

/**
 * Adds to what the month has cost. `month` is that of the ledger's entry: one that comes late, by a
 * clock behind the others at the turn of a month, belongs to a month that nobody asks for any more.
 */
export function spentSets(counters: string, spent: string, month: string): string {
  return `spent_micros = case when ${counters}.spent_month = ${month} then ${counters}.spent_micros + ${spent}
                                when ${counters}.spent_month < ${month} then ${spent}
                                else ${counters}.spent_micros end,
            spent_month = greatest(${counters}.spent_month, ${month})`;
}

/**
 * What the account's own limit leaves of the month: what is set aside counts as spent, so that sends
 * at the same moment cannot cross it together. Null where there is no limit.
 */
export function roomLeft(month: string): string {
  return `spend_limit_micros - reserved_micros - case when spent_month = ${month} then spent_micros else 0 end`;
}

// The entry and the balance move together or not at all; a fact that is already in the ledger
// moves neither, and returns nothing. The counters are locked first, as everybody else does it:
// two transactions that wait for each other's rows would both be lost.
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

/** Sets $3 aside. Where $4 names the month, the spend limit is asked too; a null one asks nothing. */
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

/** What the month of $3 has cost so far. */
export const readSpent = statement(
  "read_spent",
  `select spent_micros from account_counters
    where shard = $1 and account_id = $2 and spent_month = $3::date`,
);

/** Balance and allowance of several accounts of one shard at once. */
export const readStandings = statement(
  "read_account_standings",
  `select account_id, balance_micros, reserved_micros, allowance_month, texts_used, verifications_used,
          ${roomLeft("$3::date")} as room_micros
     from account_counters where shard = $1 and account_id = any($2::uuid[])`,
);

export const readQuotaUse = statement(
  "read_quota_use",
  `select quota_used from account_counters
    where shard = $1 and account_id = $2 and quota_day = $3::date`,
);

/** Locks the counters of the accounts in a group, in one order for everybody, and reads the money. */
export const lockMoney = statement(
  "lock_account_money",
  `select account_id, balance_micros - reserved_micros as available_micros, allowance_month, verifications_used,
          ${roomLeft("$3::date")} as room_micros
     from account_counters
    where shard = $1 and account_id = any($2::uuid[])
    order by account_id for update`,
);

/** Takes verifications from the month's allowance. Texts and verifications share its month. */
export const takeFreeVerifications = statement(
  "take_free_verifications",
  `update account_counters
      set verifications_used = case when allowance_month = $3::date then verifications_used else 0 end + $4,
          texts_used = case when allowance_month = $3::date then texts_used else 0 end,
          allowance_month = $3::date
    where shard = $1 and account_id = $2`,
);

// Texts are left out: they are many, and the usage adds them up by day.
export const listLedgerEntries = statement(
  "list_ledger_entries",
  `select object_id, kind, period, amount_micros, note, created_at from ledger_entries
    where shard = $1 and account_id = $2 and kind not in ('message', 'inbound')
      and ($3::timestamptz is null
           or (created_at, object_id, kind, period) < ($3::timestamptz, $4::uuid, $5::text, $6::text))
    order by created_at desc, object_id desc, kind desc, period desc
    limit $7`,
);
