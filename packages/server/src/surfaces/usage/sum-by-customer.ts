import type { Mode } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import { countByDay } from "./count-messages.ts";
import { countVerified } from "./count-verified.ts";

/** Traffic of a customer in a window: messages in both directions, and what they and verifications cost. */
interface CustomerSum {
  messages: number;
  costMicros: number;
}

/** Sums per customer id (UUID). Customers without traffic have zeros. */
export async function sumByCustomer(
  deps: Base,
  account: AccountRef,
  range: {
    readonly customerIds: readonly string[];
    readonly mode: Mode;
    readonly fromMs: number;
    readonly beforeMs: number;
  },
): Promise<ReadonlyMap<string, CustomerSum>> {
  const sums = new Map(range.customerIds.map((id) => [id, { messages: 0, costMicros: 0 }]));
  if (sums.size === 0) return sums;
  const query = { ...range, zone: "UTC" };
  const [messages, verified] = await Promise.all([
    countByDay(deps, account, query),
    countVerified(deps, account, query),
  ]);
  for (const { customer_id, count } of messages) add(sums, customer_id, { messages: count });
  for (const row of [...messages, ...verified]) {
    add(sums, row.customer_id, { costMicros: row.cost_micros });
  }
  return sums;
}

function add(sums: Map<string, CustomerSum>, id: string, more: Partial<CustomerSum>): void {
  const sum = sums.get(id);
  if (!sum) return;
  sum.messages += more.messages ?? 0;
  sum.costMicros += more.costMicros ?? 0;
}
