import {
  BILLING_MOVES,
  CARRIER_COST_SETTLES_DAYS,
  costPlusMargins,
  type Mode,
  priceMicrosOf,
} from "@longwave/contract";
import { correctSets, postCostCorrections, tariffOf } from "../../account/billing/index.ts";
import type { Base } from "../../core/base.ts";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import type { Queryable, Step } from "../../core/db/driver/database.ts";
import { sqlLiteral } from "../../core/db/driver/guards.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { monthOf } from "../../core/platform/clock.ts";
import { firstUuidAt } from "../../core/platform/ids.ts";
import type { CarrierCost } from "../../network/carriers/carrier.ts";
import type { FinalReceipt, ReceiptMessage } from "../messages/index.ts";
import { isRedacted } from "./redacted-receipts.ts";

const SETTLES_MS = CARRIER_COST_SETTLES_DAYS * 86_400_000;
const SETTLED = sqlLiteral(BILLING_MOVES.settle.to);

// The answer to its submit, or else the first final receipt of a message counts.
const storeCosts = statement(
  "store_message_costs",
  `insert into message_costs (shard, account_id, message_id, mode, customer_id, currency, amount_micros)
   select $1, g.account_id, g.message_id, g.mode, g.customer_id, g.currency, g.amount_micros
     from unnest($2::uuid[], $3::uuid[], $4::text[], $5::uuid[], $6::text[], $7::bigint[])
          as g (account_id, message_id, mode, customer_id, currency, amount_micros)
   on conflict (shard, account_id, message_id) do nothing`,
);

const sumCosts = statement(
  "sum_message_costs",
  `select currency, sum(amount_micros)::bigint as amount_micros, count(*)::int as count
     from message_costs
    where shard = $1 and account_id = $2 and mode = $3 and ($4::uuid is null or customer_id = $4)
      and message_id >= $5 and message_id < $6
    group by currency order by currency`,
  { profile: "scans" },
);

/**
 * Gives messages the price that follows from their carrier's cost. A message whose price is not the expected one keeps
 * it: it was free, or has been settled before. The counters are locked by then, as for every receipt.
 */
const settleCosts = statement(
  "settle_carrier_costs",
  `with moved as (
     update messages m set price_micros = p.price_micros
       from unnest($2::uuid[], $3::uuid[], $4::bigint[], $5::bigint[])
            as p (account_id, id, expected_micros, price_micros)
      where m.shard = $1 and m.id = p.id and m.account_id = p.account_id
        and m.id >= $6::uuid and m.id <= $7::uuid
        and m.billing = ${SETTLED} and m.price_micros = p.expected_micros and m.price_micros <> p.price_micros
     returning m.account_id, m.id, p.expected_micros - p.price_micros as less_micros
   ), posted as (
     ${postCostCorrections("moved", "$8")}
   ), totals as (
     select account_id, sum(less_micros)::bigint as less from moved group by account_id
   )
   update account_counters x set ${correctSets("$9::date")}
     from totals t where x.shard = $1 and x.account_id = t.account_id`,
);

/** Costs of messages in one currency. */
export interface CostSum {
  readonly currency: string;
  readonly amount_micros: number;
  readonly count: number;
}

type CostDeps = Pick<Base, "clock" | "config" | "destinations" | "prices">;

/** A message with the cost that its receipt, or the answer to its submit, names. */
export type CostedMessage = Pick<FinalReceipt, "row" | "cost">;

/** Steps that store what carriers take for messages, and settle prices; empty where no carrier names a cost. */
export function costSteps(
  deps: CostDeps,
  shard: number,
  messages: readonly CostedMessage[],
): Step[] {
  const priced = messages.flatMap(({ row, cost }) => (cost ? [{ row, cost }] : []));
  if (priced.length === 0) return [];
  const values = [
    shard,
    priced.map(({ row }) => row.account_id),
    priced.map(({ row }) => row.id),
    priced.map(({ row }) => row.mode),
    priced.map(({ row }) => row.customer_id),
    priced.map(({ cost }) => cost.currency),
    priced.map(({ cost }) => cost.amountMicros),
  ];
  return [{ statement: storeCosts, values }, ...settleSteps(deps, shard, priced)];
}

/** A message whose cost is known. */
interface PricedMessage extends Pick<FinalReceipt, "row"> {
  readonly cost: CarrierCost;
}

/** A message's price before and after its cost is known. */
interface Correction {
  readonly row: ReceiptMessage;
  readonly expectedMicros: number;
  readonly priceMicros: number;
}

function settleSteps(deps: CostDeps, shard: number, priced: readonly PricedMessage[]): Step[] {
  if (!deps.prices.followsCosts()) return [];
  const corrections = priced.flatMap((one) => correctionOf(deps, one) ?? []);
  if (corrections.length === 0) return [];
  const now = deps.clock.now();
  const ids = corrections.map(({ row }) => row.id);
  const sorted = corrections.map(({ row }) => row.id).sort();
  const values = [
    shard,
    corrections.map(({ row }) => row.account_id),
    ids,
    corrections.map(({ expectedMicros }) => expectedMicros),
    corrections.map(({ priceMicros }) => priceMicros),
    sorted[0],
    sorted.at(-1),
    new Date(now),
    monthOf(now),
  ];
  return [{ statement: settleCosts, values }];
}

/** The price in force at acceptance decides. Costs in other currencies change nothing: nobody set a rate. */
function correctionOf(deps: CostDeps, { row, cost }: PricedMessage): Correction | null {
  const isLate = row.created_at < deps.clock.now() - SETTLES_MS;
  if (cost.currency !== "USD" || isLate || isRedacted(row)) return null;
  const tariff = () => tariffOf(deps, row.to_number, row.from_number);
  const amounts = deps.prices.amountsAt("outbound", tariff, row.created_at);
  if (amounts?.basis !== "carrier_cost") return null;
  const units = deps.config.priceUnit === "segment" ? row.segments : 1;
  return {
    row,
    expectedMicros: priceMicrosOf(amounts) * units,
    priceMicros: costPlusMargins(amounts, cost.amountMicros, units),
  };
}

/** Costs of an account's messages by currency, of one customer or all. */
export function sumCarrierCosts(
  db: Queryable,
  { shard, id }: AccountRef,
  range: {
    readonly customerId: string | null;
    readonly mode: Mode;
    readonly fromMs: number;
    readonly beforeMs: number;
  },
): Promise<CostSum[]> {
  const { customerId, mode, fromMs, beforeMs } = range;
  const values = [shard, id, mode, customerId, firstUuidAt(fromMs), firstUuidAt(beforeMs)];
  return db.query<CostSum>(sumCosts, values);
}
