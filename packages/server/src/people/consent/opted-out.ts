import type { Queryable } from "../../core/db/driver/database.ts";
import type { ModedAccount } from "../../http/api/modes.ts";
import type { StateRow } from "./consent-row.ts";
import { readStates } from "./sql.ts";
import { isOptedOut } from "./states.ts";

/** Phones that have opted out, in one mode, of messages for this customer (null: of messages without a customer). */
export async function optedOutAmong(
  db: Queryable,
  account: ModedAccount,
  phones: readonly string[],
  customerId: string | null,
): Promise<Set<string>> {
  const rows = await db.query<StateRow>(readStates, [
    account.shard,
    account.id,
    account.mode,
    phones,
  ]);
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
