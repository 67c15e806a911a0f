import { BILLING_MOVES, type MoneyEffect, type Move } from "@longwave/contract";
import { isIn, word } from "../db/guards.ts";
import { roomLeft, spentSets } from "./sql.ts";

/**
 * The parts that the statements which accept and settle texts are composed of. Whoever composes them
 * has locked the counters of the accounts; it updates them once, because one statement changes a
 * row once, and adds what it counts itself, such as events.
 */

/** What is left and what is used, read from the counters in the month and on the day given. */
export function countedSoFar(month: string, day: string): string {
  return `balance_micros - reserved_micros as available,
            case when allowance_month = ${month} then texts_used else 0 end as free_taken,
            case when quota_day = ${day} then quota_used else 0 end as quota_taken,
            ${roomLeft(month)} as room`;
}

/** The columns of `countedSoFar` for a statement that weighs nothing. */
export const NOTHING_COUNTED =
  "0 as available, 0 as free_taken, 0 as quota_taken, null::bigint as room";

/**
 * Weighs the items of `known` one after the other: what is free, what is over the quota, and what
 * the items up to each one cost together. `free` is how many texts a month are.
 */
export function weighing(free: string): string {
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

/** Stands in for `weighing` where no item costs anything. */
export const WEIGHING_NOTHING =
  "run as (select k.*, false as is_free, false as is_over_quota, 0 as due_micros from known k)";

/** What money has to say about a weighed item, as branches of a case. */
export const MONEY_VERDICTS = `when is_over_quota then 'quota_exceeded'
                 when is_billable and not is_free and price_micros > 0 and due_micros > room then 'spend_limit_reached'
                 when is_billable and not is_free and due_micros > available then 'insufficient_credits'`;

/** What the price of an accepted item hangs on, and what it is. */
export const BILLING_OF_ITEM = `case when not is_billable then 'none' when is_free then 'allowance'
                 when price_micros = 0 then 'none' else 'reserved' end`;
export const COST_OF_ITEM = "case when is_billable and not is_free then price_micros else 0 end";

/** What accepted items hold, by account. */
export const HELD_BY_ITEMS = `sum(case when billing = 'reserved' then cost_micros else 0 end) as reserved,
            count(*) filter (where billing = 'allowance') as free_texts,
            count(*) filter (where quota is not null) as live_texts`;

/** Holds it: `x` the counters, `t` the sums of `HELD_BY_ITEMS`, `a` what `countedSoFar` read. */
export function holdSets(month: string, day: string): string {
  return `reserved_micros = x.reserved_micros + t.reserved,
            texts_used = case when t.free_texts = 0 then x.texts_used else a.free_taken + t.free_texts end,
            allowance_month = case when t.free_texts = 0 then x.allowance_month else ${month} end,
            verifications_used = case when t.free_texts = 0 or x.allowance_month = ${month}
                                      then x.verifications_used else 0 end,
            quota_used = case when t.live_texts = 0 then x.quota_used else a.quota_taken + t.live_texts end,
            quota_day = case when t.live_texts = 0 then x.quota_day else ${day} end`;
}

/** A move of a text together with what it does to its money. */
type MoneyMove = Move & { readonly money: MoneyEffect | null };

/** What the price of a text hangs on after the move to the status that `status` names. */
export function billingAfterMove(
  billing: string,
  status: string,
  ...moves: readonly MoneyMove[]
): string {
  const branches = moves.flatMap(({ to, money }) => {
    if (money === null) return [];
    const effect = BILLING_MOVES[money];
    return [
      `when ${status} = ${word(to)} and ${isIn(billing, effect.from)} then ${word(effect.to)}`,
    ];
  });
  return `case ${branches.join(" ")} else ${billing} end`;
}

/** Enters in the ledger the texts of `source` that `isSettled` names. Each is entered once. */
export function ledgerOfTexts(source: string, isSettled: string, at: string): string {
  return `insert into ledger_entries (shard, account_id, object_id, kind, amount_micros, created_at)
     select $1, account_id, id, 'message', -price_micros, ${at}
       from ${source} where ${isSettled}`;
}

const RESERVED = isIn("billing", BILLING_MOVES.settle.from);
const isMovedBy = (effect: MoneyEffect, moves: readonly MoneyMove[]) =>
  isIn("status", [...new Set(moves.filter((one) => one.money === effect).map((one) => one.to))]);

/** Whether an item with its billing of before and its status of after is settled by these moves. */
export function settlesText(...moves: readonly MoneyMove[]): string {
  return `${isMovedBy("settle", moves)} and ${RESERVED}`;
}

/** What moved items took and gave back, by account; they have their billing of before the move. */
export function settledByItems(month: string, ...moves: readonly MoneyMove[]): string {
  const isReleased = isMovedBy("release", moves);
  return `sum(case when ${RESERVED} and (${isMovedBy("settle", moves)} or ${isReleased}) then price_micros else 0 end) as unreserved,
            sum(case when ${settlesText(...moves)} then price_micros else 0 end) as spent,
            count(*) filter (where billing = 'allowance' and ${isReleased}
                               and created_at >= ${month} and created_at < ${month} + interval '1 month') as free_texts`;
}

/** Takes it and gives it back: `x` the counters, `t` the sums of `settledByItems`. */
export function settleSets(month: string): string {
  return `reserved_micros = x.reserved_micros - t.unreserved,
            balance_micros = x.balance_micros - t.spent,
            ${spentSets("x", "t.spent", month)},
            texts_used = case when x.allowance_month = ${month} then greatest(0, x.texts_used - t.free_texts)
                              else x.texts_used end`;
}

/** The same where every item was taken, and nothing is given back: `t.spent` is all there is. */
export function takeSets(month: string): string {
  return `reserved_micros = x.reserved_micros - t.spent,
            balance_micros = x.balance_micros - t.spent,
            ${spentSets("x", "t.spent", month)}`;
}
