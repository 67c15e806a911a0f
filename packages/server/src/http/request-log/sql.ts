import type { Queryable } from "../../core/db/driver/database.ts";
import { composed, type Fragment, join, raw, sql } from "../../core/db/driver/sql-builder.ts";
import { type Step, statement } from "../../core/db/driver/statement.ts";

/**
 * Values go as columns: one statement for any number of rows. Common columns go once, with the range of ids and
 * durations that they cover.
 */
export const insertRequests = statement(
  "insert_requests",
  `insert into request_log
     (shard, id, account_id, mode, key_id, method, path, status, code, duration_ms, is_replayed,
      param, message, body, answer)
   select a.shard, r.id, a.account_id, a.mode, a.key_id, a.method, a.path, a.status, a.code,
          r.duration_ms, a.is_replayed, r.param, r.message, r.body, r.answer
     from unnest($1::int[], $2::uuid[], $3::text[], $4::uuid[], $5::text[], $6::text[], $7::smallint[],
                 $8::text[], $9::boolean[], $10::int[], $11::int[])
            as a (shard, account_id, mode, key_id, method, path, status, code, is_replayed, first, last),
          unnest(($12::uuid[])[a.first:a.last], ($13::real[])[a.first:a.last], ($14::text[])[a.first:a.last],
                 ($15::text[])[a.first:a.last], ($16::text[])[a.first:a.last], ($17::text[])[a.first:a.last])
            as r (id, duration_ms, param, message, body, answer)`,
  { acrossShards: "adds rows, each with its own shard" },
);

/**
 * Accounts with requests older than $2, by a loose index scan along the primary key: one probe per account and mode,
 * one for its oldest.
 */
export const findOldOwners = statement(
  "find_old_request_owners",
  `with recursive owners as (
     (select account_id, mode from request_log where shard = $1 order by account_id, mode limit 1)
     union all
     select n.account_id, n.mode from owners o cross join lateral (
       select r.account_id, r.mode from request_log r
        where r.shard = $1 and (r.account_id, r.mode) > (o.account_id, o.mode)
        order by r.account_id, r.mode limit 1) n
   )
   select o.account_id, o.mode from owners o cross join lateral (
     select 1 from request_log r
      where r.shard = $1 and r.account_id = o.account_id and r.mode = o.mode and r.id < $2
      order by r.id limit 1) old
    limit $3`,
  { profile: "scans" },
);

export const deleteOldRequests = statement(
  "delete_old_requests",
  `delete from request_log where shard = $1 and account_id = $2 and mode = $3 and ctid = any(array(
     select ctid from request_log where shard = $1 and account_id = $2 and mode = $3 and id < $4
      order by id limit $5 for update skip locked))
   returning 1 as deleted`,
);

/** Rows that one search examines; a later search continues from there. */
const REQUESTS_SEARCHED_MAX = 5_000;

export interface RequestSearch {
  readonly shard: number;
  readonly accountId: string;
  readonly mode: string;
  readonly belowId: string | null;
  readonly limit: number;
  readonly id?: string;
  readonly method?: string;
  /** A status, or a class of statuses as its first digit. */
  readonly status?: number;
  readonly code?: string;
  readonly keyId?: string;
  /** Prefix of the path. */
  readonly path?: string;
}

export interface RequestRow {
  readonly id: string;
  readonly key_id: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly code: string | null;
  readonly duration_ms: number;
  readonly is_replayed: boolean;
  /** Field and sentence of a refusal. */
  readonly param: string | null;
  readonly message: string | null;
  /** Redacted JSON; null where it is not kept. */
  readonly body: string | null;
  readonly answer: string | null;
  readonly key_name: string | null;
}

/** A row of a search: a request, or none if nothing matched; every row carries how far the search got. */
type SearchedRow = (RequestRow | { readonly id: null }) & { readonly searched_to: string | null };

export interface Requests {
  readonly rows: readonly RequestRow[];
  /** The last request examined, when there were too many to examine all. */
  readonly searchedToId: string | null;
}

const COLUMNS =
  "r.id, r.key_id, r.method, r.path, r.status, r.code, r.duration_ms, r.is_replayed, r.param, r.message, r.body, r.answer";

/** Newest first. Without filters a full page; with filters, the matches of one bounded search. */
export async function readRequests(db: Queryable, search: RequestSearch): Promise<Requests> {
  const filters = filtersOf(search);
  if (filters.length === 0) {
    return { rows: await db.query<RequestRow>(listRequests(search)), searchedToId: null };
  }
  const found = await db.query<SearchedRow>(searchRequests(search, filters));
  return {
    rows: found.filter((row): row is SearchedRow & RequestRow => row.id !== null),
    searchedToId: found[0]?.searched_to ?? null,
  };
}

/** Along the primary key, which starts with these columns and ends with the id. */
function ownRequests({ shard, accountId, mode, belowId, id }: RequestSearch): Fragment {
  const own = sql`r.shard = ${shard} and r.account_id = ${accountId} and r.mode = ${mode}`;
  if (id !== undefined) return sql`${own} and r.id = ${id}::uuid`;
  return belowId === null ? own : sql`${own} and r.id < ${belowId}::uuid`;
}

function listRequests(search: RequestSearch): Step {
  return composed(
    "list_requests",
    sql`select ${raw(COLUMNS)}, k.name as key_name
          from (select * from request_log r where ${ownRequests(search)}
                 order by r.id desc limit ${search.limit}) r
          left join api_keys k on k.id = r.key_id
         order by r.id desc`,
  );
}

/**
 * Searches a range of the primary key. If the page is not full, its last row is where the next search begins; a row
 * without a request says so when nothing matched.
 */
function searchRequests(search: RequestSearch, filters: readonly Fragment[]): Step {
  const { limit } = search;
  return composed(
    "search_requests",
    sql`with looked_at as materialized (
          select *, row_number() over (order by id desc) as place
            from (select * from request_log r where ${ownRequests(search)}
                   order by r.id desc limit ${REQUESTS_SEARCHED_MAX}) newest
        ), found as materialized (
          select * from looked_at r where ${join(filters, " and ")} order by r.id desc limit ${limit}
        )
        select ${raw(COLUMNS)}, k.name as key_name,
               (select l.id from looked_at l
                 where l.place = ${REQUESTS_SEARCHED_MAX} and (select count(*) from found) < ${limit}) as searched_to
          from (select 1) one left join found r on true left join api_keys k on k.id = r.key_id
         order by r.id desc`,
    { profile: "scans" },
  );
}

function filtersOf(search: RequestSearch): Fragment[] {
  const { method, status, code, keyId, path } = search;
  const filters: Fragment[] = [];
  if (method !== undefined) filters.push(sql`r.method = ${method}`);
  if (status !== undefined) {
    filters.push(status < 10 ? sql`r.status / 100 = ${status}` : sql`r.status = ${status}`);
  }
  if (code !== undefined) filters.push(sql`r.code = ${code}`);
  if (keyId !== undefined) filters.push(sql`r.key_id = ${keyId}::uuid`);
  if (path !== undefined) filters.push(sql`starts_with(r.path, ${path})`);
  return filters;
}
