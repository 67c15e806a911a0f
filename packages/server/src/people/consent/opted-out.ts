import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import type { Queryable } from "../../core/db/driver/database.ts";
import type { StateRow } from "./consent-row.ts";
import { readStates } from "./sql.ts";
import { isOptedOut } from "./states.ts";

/** Phones that have opted out of messages for this customer (null: of messages without a customer). */
export async function optedOutAmong(
  db: Queryable,
  account: AccountRef,
  phones: readonly string[],
  customerId: string | null,
): Promise<Set<string>> {
  const rows = await db.query<StateRow>(readStates, [account.shard, account.id, phones]);
  const statesOf = new Map<string, Map<string, StateRow>>();
  for (const row of rows) {
    const states = statesOf.get(row.phone_number) ?? new Map<string, StateRow>();
    states.set(row.customer_id, row);
    statesOf.set(row.phone_number, states);
  }
  const optedOut = new Set<string>();
  for (const [phone, states] of statesOf) if (isOptedOut(states, customerId)) optedOut.add(phone);
  return optedOut;
}
