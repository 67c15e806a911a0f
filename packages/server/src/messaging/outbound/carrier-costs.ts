import type { Mode } from "@longwave/contract";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import type { Queryable, Step } from "../../core/db/driver/database.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { firstUuidAt } from "../../core/platform/ids.ts";
import type { FinalReceipt } from "../messages/index.ts";

// The first final receipt of a message counts, as for its status.
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

/** Costs of messages in one currency. */
export interface CostSum {
  readonly currency: string;
  readonly amount_micros: number;
  readonly count: number;
}

/** Steps that store what carriers take for messages; empty where no receipt names a cost. */
export function costSteps(shard: number, receipts: readonly FinalReceipt[]): Step[] {
  const priced = receipts.flatMap(({ row, cost }) => (cost ? [{ row, cost }] : []));
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
  return [{ statement: storeCosts, values }];
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
