import {
  type AuditAction,
  formatTimestamp,
  normalizePhone,
  type Pool,
  Problem,
} from "@longwave/contract";
import type { AccountRow } from "../accounts/index.ts";
import type { HandlersOf } from "../api/handler.ts";
import { pageAnswer, pageRequest } from "../api/pages.ts";
import { record } from "../audit/index.ts";
import type { Base } from "../base.ts";
import type { Queryable, Tx } from "../db/database.ts";
import { notify } from "../db/notifications.ts";
import { composed, sql } from "../db/sql-builder.ts";

import { fromApiId, toApiId } from "../platform/ids.ts";
import {
  deleteMembers,
  deletePool,
  findPoolRow,
  insertMembers,
  insertPool,
  lockPoolRow,
  updatePool,
} from "./pool-sql.ts";
import { type Changer, changerOf } from "./purchase.ts";
import { holdNumbers } from "./sql.ts";

type Names = "pools.create" | "pools.list" | "pools.get" | "pools.update" | "pools.delete";

interface PoolRow {
  readonly id: string;
  readonly name: string;
  readonly created_at: number;
  readonly numbers: readonly string[];
}

export const poolHandlers: HandlersOf<Names> = {
  "pools.create": async ({ deps, caller, ip, transact }, { body }) =>
    transact(async (tx) => {
      const { name, numbers } = body;
      const wanted = { id: deps.ids.make(), name, numbers };
      const row = await addPool(deps, tx, caller.account, wanted, changerOf(caller, ip));
      return { status: 201, body: present(row) };
    }),

  "pools.list": async ({ deps, caller }, { query }) => {
    const { account } = caller;
    const scope = { list: "pools.list", owner: account.id, filters: {} };
    const page = pageRequest(deps.secrets, scope, query);
    const after = page.after ? sql`and p.id < ${page.after[0]}::uuid` : sql``;
    const rows = await deps.db.query<PoolRow>(
      composed(
        "list_pools",
        sql`select p.id, p.name, p.created_at, coalesce((
            select array_agg(n.phone_number order by m.position)
              from pool_members m join numbers n on n.id = m.number_id
             where m.shard = ${account.shard} and m.account_id = p.account_id
               and m.pool_id = p.id), '{}') as numbers
            from pools p
           where p.shard = ${account.shard} and p.account_id = ${account.id}
             and p.deleted_at is null ${after}
           order by p.id desc limit ${page.limit + 1}`,
      ),
    );
    const body = pageAnswer(deps.secrets, scope, page, rows, (row) => [row.id], present);
    return { status: 200, body };
  },

  "pools.get": async ({ deps, caller }, { params }) => ({
    status: 200,
    body: present(await poolOf(deps.db, caller.account, params.id, "read")),
  }),

  "pools.update": async ({ deps, caller, ip, transact }, { params, body }) =>
    transact(async (tx) => {
      const { account } = caller;
      const before = await poolOf(tx, account, params.id, "lock");
      const key = [account.shard, account.id, before.id];
      const after = { ...before, name: body.name ?? before.name };
      if (body.numbers !== undefined) {
        const members = await ownedNumbers(tx, account, body.numbers);
        after.numbers = members.phones;
        await tx.query(deleteMembers, key);
        await tx.query(insertMembers, [...key, members.ids]);
      }
      await tx.query(updatePool, [...key, after.name]);
      const changes = changesOf(before, after);
      if (Object.keys(changes).length > 0) {
        await tell(deps, tx, account, changerOf(caller, ip), "pool.updated", after, changes);
      }
      return { status: 200, body: present(after) };
    }),

  "pools.delete": async ({ deps, caller, ip, transact }, { params }) =>
    transact(async (tx) => {
      const { account } = caller;
      const row = await poolOf(tx, account, params.id, "lock");
      const key = [account.shard, account.id, row.id];
      await tx.query(deleteMembers, key);
      await tx.query(deletePool, [...key, new Date(deps.clock.now())]);
      const changes = { name: row.name };
      await tell(deps, tx, account, changerOf(caller, ip), "pool.deleted", row, changes);
      return { status: 200, body: present(row) };
    }),
};

/** Makes a pool of numbers that the account owns; its id (a UUID) is the caller's to choose. */
export async function addPool(
  deps: Base,
  tx: Tx,
  account: AccountRow,
  wanted: { readonly id: string; readonly name: string; readonly numbers: readonly string[] },
  changer: Changer,
): Promise<PoolRow> {
  const { id, name } = wanted;
  const members = await ownedNumbers(tx, account, wanted.numbers);
  const now = deps.clock.now();
  await tx.query(insertPool, [account.shard, account.id, id, name, new Date(now)]);
  await tx.query(insertMembers, [account.shard, account.id, id, members.ids]);
  const row = { id, name, created_at: now, numbers: members.phones };
  await tell(deps, tx, account, changer, "pool.created", row, { name, numbers: row.numbers });
  return row;
}

/** A pool of the account's as it is now, or 404. */
export async function poolOf(
  db: Queryable,
  account: Pick<AccountRow, "shard" | "id">,
  apiId: string,
  how: "read" | "lock",
): Promise<PoolRow> {
  const id = fromApiId("pool", apiId);
  const found = how === "lock" ? lockPoolRow : findPoolRow;
  const [row] = id ? await db.query<PoolRow>(found, [account.shard, account.id, id]) : [];
  if (!row) throw new Problem("not_found", `There is no pool ${apiId.slice(0, 64)}.`);
  return row;
}

/** The numbers of a body as the account's own, in their order and without repeats, or 400. */
async function ownedNumbers(
  tx: Tx,
  account: AccountRow,
  given: readonly string[],
): Promise<{ ids: string[]; phones: string[] }> {
  const phones = given.map((text, index) => {
    const phone = normalizePhone(text);
    if (phone === null) throw notOwned(text, index);
    return phone;
  });
  const rows = await tx.query<{ id: string; phone_number: string }>(holdNumbers, [
    account.id,
    phones,
  ]);
  const byPhone = new Map(rows.map((row) => [row.phone_number, row.id]));
  const ids = new Map<string, string>();
  for (const [index, phone] of phones.entries()) {
    const id = byPhone.get(phone);
    if (id === undefined) throw notOwned(phone, index);
    ids.set(phone, id);
  }
  return { ids: [...ids.values()], phones: [...ids.keys()] };
}

function notOwned(text: string, index: number): Problem {
  return new Problem("invalid_request", `${text} is not a number of this account.`, {
    param: `numbers[${index}]`,
  });
}

function changesOf(before: PoolRow, after: PoolRow): Record<string, unknown> {
  const changes: Record<string, unknown> = {};
  if (before.name !== after.name) changes["name"] = [before.name, after.name];
  if (before.numbers.join() !== after.numbers.join()) {
    changes["numbers"] = [before.numbers, after.numbers];
  }
  return changes;
}

async function tell(
  deps: Base,
  tx: Tx,
  account: AccountRow,
  changer: Changer,
  action: AuditAction,
  row: PoolRow,
  changes: Record<string, unknown>,
): Promise<void> {
  await record(deps, tx, {
    shard: account.shard,
    accountId: account.id,
    action,
    actor: changer.actor,
    targetId: toApiId("pool", row.id),
    changes,
    ip: changer.ip,
  });
  await notify(tx, "longwave_cache", account.id);
}

function present(row: PoolRow): Pool {
  return {
    id: toApiId("pool", row.id),
    object: "pool",
    name: row.name,
    numbers: [...row.numbers],
    created_at: formatTimestamp(row.created_at),
  };
}
