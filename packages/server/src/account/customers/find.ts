import { Problem } from "@longwave/contract";
import { type AccountCache, type AccountRef, createAccountCache } from "../db/account-cache.ts";
import type { Database, Queryable, Tx } from "../db/database.ts";
import type { Notifications } from "../db/notifications.ts";
import type { Statement } from "../db/statement.ts";
import type { Clock } from "../platform/clock.ts";
import { fromApiId } from "../platform/ids.ts";
import { findCustomerRow, holdCustomerRow, lockCustomerRow, wasCustomer } from "./sql.ts";

export interface CustomerRow {
  readonly id: string;
  readonly name: string;
  readonly external_id: string | null;
  readonly metadata: Record<string, string>;
  readonly created_at: number;
  readonly updated_at: number;
}

export type CustomerDirectory = AccountCache<CustomerRow>;

const CACHE_CUSTOMERS_MAX = 10_000;

export function createCustomerDirectory(
  db: Database,
  clock: Clock,
  notifications: Notifications,
): CustomerDirectory {
  return createAccountCache<CustomerRow>({
    clock,
    notifications,
    entriesMax: CACHE_CUSTOMERS_MAX,
    read: (account, id) => readCustomer(db, account, id),
  });
}

/** The customer with this UUID, or null. */
async function readCustomer(
  db: Queryable,
  account: AccountRef,
  id: string,
): Promise<CustomerRow | null> {
  const [row] = await db.query<CustomerRow>(findCustomerRow, [account.shard, account.id, id]);
  return row ?? null;
}

/** The customer that a path names, or 404. */
export function customerOf(
  db: Queryable,
  account: AccountRef,
  apiId: string,
): Promise<CustomerRow> {
  return namedByPath(db, findCustomerRow, account, apiId);
}

/** The same, locked until the transaction ends. */
export function lockCustomer(tx: Tx, account: AccountRef, apiId: string): Promise<CustomerRow> {
  return namedByPath(tx, lockCustomerRow, account, apiId);
}

async function namedByPath(
  db: Queryable,
  how: Statement,
  account: AccountRef,
  apiId: string,
): Promise<CustomerRow> {
  const id = fromApiId("customer", apiId);
  const [row] = id ? await db.query<CustomerRow>(how, [account.shard, account.id, id]) : [];
  if (!row) throw new Problem("not_found", `There is no customer ${apiId.slice(0, 64)}.`);
  return row;
}

/**
 * The customer that a body names as `customer_id`, or 400 `unknown_customer`. From the cache, for the
 * hot path: at most a second old.
 */
export async function findCustomerCached(
  deps: { readonly customers: CustomerDirectory },
  account: AccountRef,
  apiId: string,
): Promise<CustomerRow> {
  const id = fromApiId("customer", apiId);
  const row = id === null ? null : await deps.customers.find(account, id);
  if (!row) throw unknownCustomer(apiId);
  return row;
}

/**
 * The UUID of the customer by which a list is filtered: rows outlive the customer that they belong
 * to, so one that was deleted is as good. One that never was: 400 `unknown_customer`.
 */
export async function customerFilterOf(
  db: Queryable,
  account: AccountRef,
  apiId: string,
): Promise<string> {
  const id = fromApiId("customer", apiId);
  const known = id ? await db.query(wasCustomer, [account.shard, account.id, id]) : [];
  if (id === null || known.length === 0) throw unknownCustomer(apiId);
  return id;
}

/** The same, held in place until the transaction ends: what is assigned to it stays whole. */
export async function holdCustomer(
  tx: Tx,
  account: AccountRef,
  apiId: string,
): Promise<CustomerRow> {
  const id = fromApiId("customer", apiId);
  const [row] =
    id === null
      ? []
      : await tx.query<CustomerRow>(holdCustomerRow, [account.shard, account.id, id]);
  if (!row) throw unknownCustomer(apiId);
  return row;
}

function unknownCustomer(apiId: string): Problem {
  return new Problem("unknown_customer", `There is no customer ${apiId.slice(0, 64)}.`, {
    param: "customer_id",
  });
}
