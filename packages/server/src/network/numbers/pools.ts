import {
  type AuditAction,
  formatTimestamp,
  type Mode,
  normalizePhone,
  type Pool,
  Problem,
  toTwilioSid,
} from "@longwave/contract";
import type { AccountRow } from "../../account/accounts/index.ts";
import { record } from "../../account/audit/index.ts";
import type { Base } from "../../core/base.ts";
import type { Queryable, Tx } from "../../core/db/driver/database.ts";
import { notify } from "../../core/db/driver/notifications.ts";
import { composed, raw, sql } from "../../core/db/driver/sql-builder.ts";
import { fromApiId, toApiId } from "../../core/platform/ids.ts";
import type { HandlersOf } from "../../http/api/handler.ts";
import { modeMismatch } from "../../http/api/modes.ts";
import { pageAnswer, pageRequest } from "../../http/api/pages.ts";
import {
  deleteMembers,
  deleteMembersOfMode,
  deletePool,
  findMembersOfOtherMode,
  findPoolRow,
  insertMembers,
  insertPool,
  lockPoolRow,
  MEMBERS_IN_ORDER,
  updatePool,
} from "./pool-sql.ts";
import { type Changer, changerOf } from "./purchase.ts";
import { lockNumberRows } from "./sql.ts";

type Names = "pools.create" | "pools.list" | "pools.get" | "pools.update" | "pools.delete";

interface Member {
  readonly phone_number: string;
  readonly mode: Mode;
}

export interface PoolRow {
  readonly id: string;
  readonly name: string;
  readonly created_at: number;
  readonly numbers: readonly string[];
}

export const poolHandlers: HandlersOf<Names> = {
  "pools.create": async ({ deps, caller, ip, transact }, { body }) =>
    transact(async (tx) => {
      const { name, numbers } = body;
      const draft = { id: deps.ids.make(), name, numbers, mode: caller.mode };
      const row = await addPool(deps, tx, caller.account, draft, changerOf(caller, ip));
      return { status: 201, body: present(deps, row) };
    }),

  "pools.list": async ({ deps, caller }, { query }) => {
    const { account } = caller;
    const scope = { list: "pools.list", owner: account.id, filters: {} };
    const page = pageRequest(deps.secrets, scope, query);
    const below = page.after ? String(page.after[0]) : null;
    const rows = await listPoolRows(deps.db, account, below, page.limit + 1);
    const body = pageAnswer(
      deps.secrets,
      scope,
      page,
      rows,
      (row) => [row.id],
      (row) => present(deps, row),
    );
    return { status: 200, body };
  },

  "pools.get": async ({ deps, caller }, { params }) => ({
    status: 200,
    body: present(deps, await poolOf(deps.db, caller.account, params.id, "read")),
  }),

  "pools.update": async ({ deps, caller, ip, transact }, { params, body }) =>
    transact(async (tx) => {
      const { account, mode } = caller;
      const before = await poolOf(tx, account, params.id, "lock");
      const key = [account.shard, account.id, before.id];
      if (body.numbers !== undefined) {
        const ids = await ownedNumbers(tx, account, body.numbers, mode, new Set(before.numbers));
        await tx.query(deleteMembersOfMode, [...key, mode]);
        await tx.query(insertMembers, [...key, ids]);
      }
      await tx.query(updatePool, [...key, body.name ?? before.name]);
      const after = await poolOf(tx, account, params.id, "read");
      const changes = changesOf(before, after);
      if (Object.keys(changes).length > 0) {
        await recordChange(
          deps,
          tx,
          account,
          changerOf(caller, ip),
          "pool.updated",
          after,
          changes,
        );
      }
      return { status: 200, body: present(deps, after) };
    }),

  "pools.delete": async ({ deps, caller, ip, transact }, { params }) =>
    transact(async (tx) => {
      const { account, mode } = caller;
      const row = await poolOf(tx, account, params.id, "lock");
      const key = [account.shard, account.id, row.id];
      const [foreign] = await tx.query<Member>(findMembersOfOtherMode, [...key, mode]);
      if (foreign) throw modeMismatch(`The pool's member ${foreign.phone_number}`, foreign.mode);
      await tx.query(deleteMembers, key);
      await tx.query(deletePool, [...key, new Date(deps.clock.now())]);
      const changes = { name: row.name };
      await recordChange(deps, tx, account, changerOf(caller, ip), "pool.deleted", row, changes);
      return { status: 200, body: present(deps, row) };
    }),
};

/**
 * Creates a pool of numbers that the account owns, under an id (a UUID) of the caller's choice. The
 * numbers must have `mode`; the importer passes null to skip the check.
 */
export async function addPool(
  deps: Base,
  tx: Tx,
  account: AccountRow,
  draft: {
    readonly id: string;
    readonly name: string;
    readonly numbers: readonly string[];
    readonly mode: Mode | null;
  },
  changer: Changer,
): Promise<PoolRow> {
  const { id, name, mode } = draft;
  const ids = await ownedNumbers(tx, account, draft.numbers, mode, new Set());
  const now = deps.clock.now();
  await tx.query(insertPool, [account.shard, account.id, id, name, new Date(now)]);
  await tx.query(insertMembers, [account.shard, account.id, id, ids]);
  const row = await poolOf(tx, account, toApiId("pool", id), "read");
  await recordChange(deps, tx, account, changer, "pool.created", row, {
    name,
    numbers: row.numbers,
  });
  return row;
}

/** Pools of the account, newest first, from below the id (a UUID) on. */
export function listPoolRows(
  db: Queryable,
  account: Pick<AccountRow, "shard" | "id">,
  belowId: string | null,
  limit: number,
): Promise<PoolRow[]> {
  const below = belowId === null ? sql`` : sql`and p.id < ${belowId}::uuid`;
  return db.query<PoolRow>(
    composed(
      "list_pools",
      sql`select p.id, p.name, p.created_at, coalesce((
          select ${raw(MEMBERS_IN_ORDER)}
            from pool_members m join numbers n on n.id = m.number_id
           where m.shard = ${account.shard} and m.account_id = p.account_id
             and m.pool_id = p.id), '{}') as numbers
          from pools p
         where p.shard = ${account.shard} and p.account_id = ${account.id}
           and p.deleted_at is null ${below}
         order by p.id desc limit ${limit}`,
    ),
  );
}

/** A pool of the account, or 404. */
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

/**
 * Ids of the named numbers, in order and without repeats; 400 for a number of another account. A
 * number of the other mode is a 403, unless it is a member already: it then remains one and is
 * omitted here.
 */
async function ownedNumbers(
  tx: Tx,
  account: AccountRow,
  given: readonly string[],
  mode: Mode | null,
  members: ReadonlySet<string>,
): Promise<string[]> {
  const phones = given.map((text, index) => {
    const phone = normalizePhone(text);
    if (phone === null) throw notOwned(text, index);
    return phone;
  });
  const rows = await tx.query<Member & { id: string }>(lockNumberRows, [account.id, phones]);
  const byPhone = new Map(rows.map((row) => [row.phone_number, row]));
  const ids = new Set<string>();
  for (const [index, phone] of phones.entries()) {
    const number = byPhone.get(phone);
    if (number === undefined) throw notOwned(phone, index);
    if (mode === null || number.mode === mode) ids.add(number.id);
    else if (!members.has(phone)) throw modeMismatch(phone, number.mode, `numbers[${index}]`);
  }
  return [...ids];
}

function notOwned(text: string, index: number): Problem {
  return new Problem("invalid_request", `${text} is not a number of this account.`, {
    param: `numbers[${index}]`,
  });
}

function changesOf(before: PoolRow, after: PoolRow): Record<string, unknown> {
  const changes: Record<string, unknown> = {};
  if (before.name !== after.name) changes["name"] = { from: before.name, to: after.name };
  if (before.numbers.join() !== after.numbers.join()) {
    changes["numbers"] = { from: before.numbers, to: after.numbers };
  }
  return changes;
}

async function recordChange(
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

function present({ config }: Base, row: PoolRow): Pool {
  return {
    id: toApiId("pool", row.id),
    object: "pool",
    name: row.name,
    numbers: [...row.numbers],
    twilio_service_sid: config.twilioApi ? toTwilioSid("messaging_service", row.id) : null,
    created_at: formatTimestamp(row.created_at),
  };
}
