import { Problem } from "@longwave/contract";
import {
  type AccountCache,
  type AccountRef,
  createAccountCache,
} from "../../core/db/driver/account-cache.ts";
import type { Database, Queryable, Tx } from "../../core/db/driver/database.ts";
import type { Notifications } from "../../core/db/driver/notifications.ts";
import type { Statement } from "../../core/db/driver/statement.ts";
import type { Clock } from "../../core/platform/clock.ts";
import { fromApiId } from "../../core/platform/ids.ts";
import {
  findCustomerIds,
  findCustomerOrDeleted,
  findCustomerRow,
  lockCustomerRow,
  lockCustomerRowShared,
} from "./sql.ts";

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

/** Customer in a path, or 404. */
export function customerOf(
  db: Queryable,
  account: AccountRef,
  apiId: string,
): Promise<CustomerRow> {
  return namedByPath(db, findCustomerRow, account, apiId);
}

/** UUIDs of the account's customers among these ids; others are left out. */
export async function knownCustomerIds(
  db: Queryable,
  account: AccountRef,
  apiIds: readonly string[],
): Promise<string[]> {
  const ids = apiIds.flatMap((id) => fromApiId("customer", id) ?? []);
  const values = [account.shard, account.id, ids];
  const rows = await db.query<{ id: string }>(findCustomerIds, values);
  return rows.map(({ id }) => id);
}

/** Like `customerOf`, locked until the transaction ends. */
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

/** Customer of a body's `customer_id`, or 400 `unknown_customer`. Cached for the hot path, for at most a second. */
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
 * UUID of the customer that filters a list. Rows outlive their customer, so a deleted customer is accepted, too; an id
 * that never existed is 400 `unknown_customer`.
 */
export async function customerFilterOf(
  db: Queryable,
  account: AccountRef,
  apiId: string,
): Promise<string> {
  const id = fromApiId("customer", apiId);
  const known = id ? await db.query(findCustomerOrDeleted, [account.shard, account.id, id]) : [];
  if (id === null || known.length === 0) throw unknownCustomer(apiId);
  return id;
}

/**
 * Like `findCustomerCached`, with a share lock until the transaction ends, so that the customer is not deleted under an
 * assignment.
 */
export async function lockCustomerShared(
  tx: Tx,
  account: AccountRef,
  apiId: string,
): Promise<CustomerRow> {
  const id = fromApiId("customer", apiId);
  const [row] =
    id === null
      ? []
      : await tx.query<CustomerRow>(lockCustomerRowShared, [account.shard, account.id, id]);
  if (!row) throw unknownCustomer(apiId);
  return row;
}

function unknownCustomer(apiId: string): Problem {
  return new Problem("unknown_customer", `There is no customer ${apiId.slice(0, 64)}.`, {
    param: "customer_id",
  });
}
