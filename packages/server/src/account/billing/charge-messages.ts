import { BILLING_MOVES, type MoneyEffect, type Move } from "@longwave/contract";
import { isIn, sqlLiteral } from "../../core/db/driver/guards.ts";
import { roomLeft, spentSets } from "./sql.ts";

/**
 * Prices, reserves and charges messages: SQL fragments for the statements that accept and settle them. The composing statement has locked the accounts'
 * counters. It updates them once, because one statement changes a row once, and adds counters of its own, such as
 * events.
 */

/** Remaining and used amounts, from the counters, in the given month and day. */
export function remainingAndUsed(month: string, day: string): string {
  return `balance_micros - reserved_micros as available,
            case when allowance_month = ${month} then texts_used else 0 end as free_taken,
            case when quota_day = ${day} then quota_used else 0 end as quota_taken,
            ${roomLeft(month)} as room`;
}

/** The columns of `remainingAndUsed` for a statement that prices nothing. */
export const NOTHING_REMAINING_OR_USED =
  "0 as available, 0 as free_taken, 0 as quota_taken, null::bigint as room";

/**
 * Prices the items of `known` in order: free items, items over the quota, and the cumulative cost up to each item.
 * `free`: free messages per month.
 */
export function pricing(free: string): string {
  return `counted as (
     select k.*,
            count(*) filter (where quota is not null and not is_duplicate and not is_opted_out)
              over (partition by account_id order by ord) as live_n,
            count(*) filter (where is_billable and not is_duplicate and not is_opted_out)
              over (partition by account_id order by ord) as billable_n
       from known k
   ), priced as (
     select c.*,
            is_billable and billable_n <= ${free} - free_taken as is_free,
            quota is not null and live_n > quota - quota_taken as is_over_quota
       from counted c
   ), run as (
     select p.*,
            sum(case when is_billable and not is_free and not is_duplicate and not is_opted_out
                      and not is_over_quota then price_micros else 0 end)
              over (partition by account_id order by ord) as due_micros
       from priced p
   )`;
}

/** Replaces `pricing` if no item costs anything. */
export const PRICING_NOTHING =
  "run as (select k.*, false as is_free, false as is_over_quota, 0 as due_micros from known k)";

/** Refusals of a priced item for lack of funds, as branches of a case. */
export const FUNDS_REFUSALS = `when is_over_quota then 'quota_exceeded'
                 when is_billable and not is_free and price_micros > 0 and due_micros > room then 'spend_limit_reached'
                 when is_billable and not is_free and due_micros > available then 'insufficient_credits'`;

/** Billing state and price of an accepted item. */
export const BILLING_OF_ITEM = `case when not is_billable then 'none' when is_free then 'allowance'
                 when price_micros = 0 then 'none' else 'reserved' end`;
export const COST_OF_ITEM = "case when is_billable and not is_free then price_micros else 0 end";

/** Amounts that accepted items reserve, by account. */
export const RESERVED_BY_ITEMS = `sum(case when billing = 'reserved' then cost_micros else 0 end) as reserved,
            count(*) filter (where billing = 'allowance') as free_texts,
            count(*) filter (where quota is not null) as live_texts`;

/** Reserves them: `x` the counters, `t` the sums of `RESERVED_BY_ITEMS`, `a` the columns of `remainingAndUsed`. */
export function reserveSets(month: string, day: string): string {
  return `reserved_micros = x.reserved_micros + t.reserved,
            texts_used = case when t.free_texts = 0 then x.texts_used else a.free_taken + t.free_texts end,
            allowance_month = case when t.free_texts = 0 then x.allowance_month else ${month} end,
            verifications_used = case when t.free_texts = 0 or x.allowance_month = ${month}
                                      then x.verifications_used else 0 end,
            quota_used = case when t.live_texts = 0 then x.quota_used else a.quota_taken + t.live_texts end,
            quota_day = case when t.live_texts = 0 then x.quota_day else ${day} end`;
}

/** A status change of a message, with its effect on the message's money. */
type MoneyMove = Move & { readonly money: MoneyEffect | null };

/** Billing state of a message after the move to the status in `status`. */
export function billingAfterMove(
  billing: string,
  status: string,
  ...moves: readonly MoneyMove[]
): string {
  const branches = moves.flatMap(({ to, money }) => {
    if (money === null) return [];
    const effect = BILLING_MOVES[money];
    return [
      `when ${status} = ${sqlLiteral(to)} and ${isIn(billing, effect.from)} then ${sqlLiteral(effect.to)}`,
    ];
  });
  return `case ${branches.join(" ")} else ${billing} end`;
}

/** Posts the messages of `source` that satisfy `isSettled`. Each is posted once. */
export function postMessages(source: string, isSettled: string, at: string): string {
  return `insert into ledger_entries (shard, account_id, object_id, kind, amount_micros, created_at)
     select $1, account_id, id, 'message', -price_micros, ${at}
       from ${source} where ${isSettled}`;
}

const RESERVED = isIn("billing", BILLING_MOVES.settle.from);
const isMovedBy = (effect: MoneyEffect, moves: readonly MoneyMove[]) =>
  isIn("status", [...new Set(moves.filter((one) => one.money === effect).map((one) => one.to))]);

/** Whether these moves settle an item, by its billing before and its status after. */
export function settlesMessage(...moves: readonly MoneyMove[]): string {
  return `${isMovedBy("settle", moves)} and ${RESERVED}`;
}

/** Debits and releases of moved items, by account; the items still have their billing from before the move. */
export function settledByItems(month: string, ...moves: readonly MoneyMove[]): string {
  const isReleased = isMovedBy("release", moves);
  return `sum(case when ${RESERVED} and (${isMovedBy("settle", moves)} or ${isReleased}) then price_micros else 0 end) as unreserved,
            sum(case when ${settlesMessage(...moves)} then price_micros else 0 end) as spent,
            count(*) filter (where billing = 'allowance' and ${isReleased}
                               and created_at >= ${month} and created_at < ${month} + interval '1 month') as free_texts`;
}

/** Applies them: `x` the counters, `t` the sums of `settledByItems`. */
export function settleSets(month: string): string {
  return `reserved_micros = x.reserved_micros - t.unreserved,
            balance_micros = x.balance_micros - t.spent,
            ${spentSets("x", "t.spent", month)},
            texts_used = case when x.allowance_month = ${month} then greatest(0, x.texts_used - t.free_texts)
                              else x.texts_used end`;
}

/** Like `settleSets` when every item is debited and none released: only `t.spent` exists. */
export function debitSets(month: string): string {
  return `reserved_micros = x.reserved_micros - t.spent,
            balance_micros = x.balance_micros - t.spent,
            ${spentSets("x", "t.spent", month)}`;
}

/**
 * Posts what the carriers' costs change: `source` has the messages with `less_micros`, positive where one became
 * cheaper. A message is corrected once.
 */
export function postCostCorrections(source: string, at: string): string {
  return `insert into ledger_entries (shard, account_id, object_id, kind, period, amount_micros, created_at)
     select $1, account_id, id, 'message', 'carrier_cost', less_micros, ${at} from ${source}`;
}

/** Applies corrections: `x` the counters, `t.less` the sum of `less_micros` of an account. */
export function correctSets(month: string): string {
  return `balance_micros = x.balance_micros + t.less,
            ${spentSets("x", "-t.less", month)}`;
}
