import { type Mode, type PhoneNumber, Problem } from "@longwave/contract";
import type { AccountRow } from "../../account/accounts/index.ts";
import { customerFilterOf } from "../../account/customers/index.ts";
import type { Base } from "../../core/base.ts";
import {
  composed,
  contains,
  type Fragment,
  join,
  raw,
  sql,
} from "../../core/db/driver/sql-builder.ts";
import { fromApiId } from "../../core/platform/ids.ts";
import { type PageAnswer, pageAnswer, pageRequest } from "../../http/api/pages.ts";
import type { PooledNumberRow } from "./find.ts";
import { presentNumber } from "./number-row.ts";
import { findPoolRow } from "./pool-sql.ts";

export interface NumberFilters {
  readonly customer_id?: string;
  readonly tag?: string;
  readonly pool?: string;
  readonly mode?: Mode;
  readonly q?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

/** The account's active numbers, newest first. */
export async function listNumbers(
  deps: Base,
  account: AccountRow,
  query: NumberFilters,
): Promise<PageAnswer<PhoneNumber>> {
  const { limit: _limit, cursor: _cursor, ...given } = query;
  const filters = { ...given, q: query.q?.trim().toLowerCase() };
  const scope = { list: "numbers.list", owner: account.id, filters };
  const page = pageRequest(deps.secrets, scope, query);
  const conditions = await conditionsOf(deps, account, query);
  if (page.after) conditions.push(sql`n.id < ${page.after[0]}::uuid`);
  const rows = await deps.db.query<PooledNumberRow>(
    composed(
      "list_numbers",
      sql`select n.*, coalesce((
          select array_agg(m.pool_id order by m.pool_id) from pool_members m
           where m.shard = ${account.shard} and m.account_id = n.account_id
             and m.number_id = n.id), '{}') as pools
          from numbers n where ${join(conditions, " and ")}
         order by n.id desc limit ${page.limit + 1}`,
    ),
  );
  return pageAnswer(
    deps.secrets,
    scope,
    page,
    rows,
    (row) => [row.id],
    (row) => presentNumber(deps, row, row.pools),
  );
}

async function conditionsOf(
  deps: Base,
  account: AccountRow,
  query: NumberFilters,
): Promise<Fragment[]> {
  const conditions: Fragment[] = [sql`n.account_id = ${account.id}`, raw("n.released_at is null")];
  if (query.customer_id !== undefined) {
    const customerId = await customerFilterOf(deps.db, account, query.customer_id);
    conditions.push(sql`n.customer_id = ${customerId}`);
  }
  if (query.tag !== undefined) conditions.push(sql`${query.tag}::text = any(n.tags)`);
  if (query.pool !== undefined) {
    const poolId = await knownPool(deps, account, query.pool);
    conditions.push(
      sql`exists (select 1 from pool_members f where f.shard = ${account.shard}
            and f.account_id = ${account.id} and f.pool_id = ${poolId} and f.number_id = n.id)`,
    );
  }
  if (query.mode !== undefined) conditions.push(sql`n.mode = ${query.mode}`);
  if (query.q !== undefined) conditions.push(matching(query.q));
  return conditions;
}

async function knownPool(deps: Base, account: AccountRow, apiId: string): Promise<string> {
  const id = fromApiId("pool", apiId);
  const [row] = id ? await deps.db.query(findPoolRow, [account.shard, account.id, id]) : [];
  if (id && row) return id;
  throw new Problem("invalid_request", `There is no pool ${apiId.slice(0, 64)}.`, {
    param: "pool",
  });
}

/**
 * Matches part of the label in any case. A query of digits and punctuation also matches part of the
 * number.
 */
function matching(q: string): Fragment {
  const label = contains("n.label", q.trim());
  const digits = /^[\d\s()+.-]+$/.test(q) ? q.replace(/\D/g, "") : "";
  if (digits === "") return label;
  return sql`(${label} or n.phone_number like ${`%${digits}%`})`;
}
