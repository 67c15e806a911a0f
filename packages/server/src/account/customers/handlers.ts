import {
  type AuditAction,
  type Customer,
  formatTimestamp,
  Problem,
  type RouteInput,
} from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { isUniqueViolation } from "../../core/db/driver/failures.ts";
import { notify } from "../../core/db/driver/notifications.ts";
import { composed, contains, type Fragment, join, sql } from "../../core/db/driver/sql-builder.ts";
import { expect } from "../../core/platform/assert.ts";
import { toApiId } from "../../core/platform/ids.ts";
import type { HandlersOf } from "../../http/api/handler.ts";
import { pageAnswer, pageRequest } from "../../http/api/pages.ts";
import { actorOf, type Principal } from "../accounts/index.ts";
import { changesBetween, record } from "../audit/index.ts";
import type { CustomerHandlersDeps } from "./deps.ts";
import { type CustomerRow, customerOf, lockCustomer } from "./find.ts";
import { deleteCustomer, insertCustomer, rememberDeleted, updateCustomer } from "./sql.ts";

type Names =
  | "customers.create"
  | "customers.list"
  | "customers.get"
  | "customers.update"
  | "customers.delete";

type Changes = RouteInput<"customers.update">["body"];

export const customerHandlers: HandlersOf<Names, CustomerHandlersDeps> = {
  "customers.create": async ({ deps, caller, ip, transact }, { body }) =>
    transact(async (tx) => {
      const { account } = caller;
      const now = deps.clock.now();
      const [row] = await tx.query<CustomerRow>(insertCustomer, [
        account.shard,
        account.id,
        deps.ids.makeAt(now),
        body.name,
        body.external_id ?? null,
        JSON.stringify(body.metadata ?? {}),
        new Date(now),
      ]);
      if (!row) throw externalIdTaken(body.external_id);
      await emit(deps, tx, caller, ip, "customer.created", row, body);
      return { status: 201, body: present(row) };
    }),

  "customers.list": async ({ deps, caller }, { query }) => {
    const { account } = caller;
    const q = query.q?.trim().toLowerCase();
    const scope = {
      list: "customers.list",
      owner: account.id,
      filters: { external_id: query.external_id, q },
    };
    const page = pageRequest(deps.secrets, scope, query);
    const conditions: Fragment[] = [sql`shard = ${account.shard}`, sql`account_id = ${account.id}`];
    if (query.external_id !== undefined) conditions.push(sql`external_id = ${query.external_id}`);
    if (q !== undefined) {
      conditions.push(sql`(${contains("name", q)} or ${contains("external_id", q)})`);
    }
    if (page.after) conditions.push(sql`id < ${page.after[0]}::uuid`);
    const rows = await deps.db.query<CustomerRow>(
      composed(
        "list_customers",
        sql`select id, name, external_id, metadata, created_at, updated_at from customers
           where ${join(conditions, " and ")} order by id desc limit ${page.limit + 1}`,
        q === undefined ? {} : { profile: "scans" },
      ),
    );
    const body = pageAnswer(deps.secrets, scope, page, rows, (row) => [row.id], present);
    return { status: 200, body };
  },

  "customers.get": async ({ deps, caller }, { params }) => ({
    status: 200,
    body: present(await customerOf(deps.db, caller.account, params.id)),
  }),

  "customers.update": async ({ deps, caller, ip, transact }, { params, body }) =>
    transact(async (tx) => {
      const { account } = caller;
      const before = await lockCustomer(tx, account, params.id);
      const changed = changedBy(before, body);
      const changes = changesBetween(present(before), present(changed));
      if (changes === null) return { status: 200, body: present(before) };
      const { name, external_id, metadata } = changed;
      const values = [
        ...[account.shard, account.id, before.id],
        ...[name, external_id, JSON.stringify(metadata), new Date(deps.clock.now())],
      ];
      const [row] = await tx.query<CustomerRow>(updateCustomer, values).catch((error) => {
        throw isUniqueViolation(error) ? externalIdTaken(external_id) : error;
      });
      const after = expect(row, "a locked customer is gone");
      await emit(deps, tx, caller, ip, "customer.updated", after, changes);
      return { status: 200, body: present(after) };
    }),

  "customers.delete": async ({ deps, caller, ip, transact }, { params }) =>
    transact(async (tx) => {
      const { account } = caller;
      // The lock waits for a concurrent assignment of a number to this customer.
      const row = await lockCustomer(tx, account, params.id);
      const numbers = await deps.countAssigned(tx, account, row.id);
      if (numbers > 0) {
        throw new Problem(
          "invalid_state",
          numbers === 1
            ? "A number is assigned to this customer. Release it or assign it elsewhere first."
            : `${numbers} numbers are assigned to this customer. Release them or assign them elsewhere first.`,
        );
      }
      await tx.query(deleteCustomer, [account.shard, account.id, row.id]);
      const deleted = [account.shard, account.id, row.id, new Date(deps.clock.now())];
      await tx.query(rememberDeleted, deleted);
      await emit(deps, tx, caller, ip, "customer.deleted", row, { name: row.name });
      return { status: 200, body: present(row) };
    }),
};

/** Omitted fields stay; null clears. */
function changedBy(
  before: CustomerRow,
  { name = before.name, external_id = before.external_id, metadata = before.metadata }: Changes,
): CustomerRow {
  return { ...before, name, external_id, metadata: metadata ?? {} };
}

function externalIdTaken(externalId: string | null | undefined): Problem {
  return new Problem("already_exists", `Another customer has the external_id ${externalId}.`, {
    param: "external_id",
  });
}

async function emit(
  deps: Base,
  tx: Tx,
  caller: Principal,
  ip: string,
  action: AuditAction,
  row: CustomerRow,
  changes: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { account } = caller;
  await record(deps, tx, {
    shard: account.shard,
    accountId: account.id,
    action,
    actor: actorOf(caller),
    targetId: toApiId("customer", row.id),
    changes,
    ip,
  });
  await notify(tx, "longwave_cache", account.id);
}

function present(row: CustomerRow): Customer {
  return {
    id: toApiId("customer", row.id),
    object: "customer",
    name: row.name,
    external_id: row.external_id,
    metadata: row.metadata,
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
  };
}
