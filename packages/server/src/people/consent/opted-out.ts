import type { Queryable } from "../../core/db/driver/database.ts";
import type { ModedAccount } from "../../http/api/modes.ts";
import type { StateRow } from "./consent-row.ts";
import { readStates } from "./sql.ts";
import { hasOptedIn, isOptedOut, type StatesOfNumber } from "./states.ts";

const NO_STATES: StatesOfNumber = new Map();

/** Phones that have opted out, in one mode, of messages for this customer (null: of messages without a customer). */
export async function optedOutAmong(
  db: Queryable,
  account: ModedAccount,
  phones: readonly string[],
  customerId: string | null,
): Promise<Set<string>> {
  const states = await statesAmong(db, account, phones);
  return new Set([...states].flatMap(([phone, of]) => (isOptedOut(of, customerId) ? phone : [])));
}

/**
 * Phones without an agreement, in one mode, to messages for this customer, or with one that has ended. Phones that have
 * opted out are not among them: `optedOutAmong` finds those.
 */
export async function undecidedAmong(
  db: Queryable,
  account: ModedAccount,
  phones: readonly string[],
  { customerId, nowMs }: { readonly customerId: string | null; readonly nowMs: number },
): Promise<Set<string>> {
  const states = await statesAmong(db, account, phones);
  return new Set(
    phones.filter((phone) => {
      const known = states.get(phone) ?? NO_STATES;
      return !isOptedOut(known, customerId) && !hasOptedIn(known, customerId, nowMs);
    }),
  );
}

async function statesAmong(
  db: Queryable,
  account: ModedAccount,
  phones: readonly string[],
): Promise<ReadonlyMap<string, StatesOfNumber>> {
  const values = [account.shard, account.id, account.mode, phones];
  const rows = await db.query<StateRow>(readStates, values);
  const statesOf = new Map<string, Map<string, StateRow>>();
  for (const row of rows) {
    const states = statesOf.get(row.phone_number) ?? new Map<string, StateRow>();
    states.set(row.customer_id, row);
    statesOf.set(row.phone_number, states);
  }
  return statesOf;
}
