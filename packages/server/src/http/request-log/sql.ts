import type { Queryable } from "../db/database.ts";
import { composed, type Fragment, join, raw, sql } from "../db/sql-builder.ts";
import { type Step, statement } from "../db/statement.ts";

/**
 * Values go as columns: one statement for any number of rows. What calls have in common goes once, with
 * the stretch of the ids and durations that is theirs.
 */
export const insertRequests = statement(
  "insert_requests",
  `insert into request_log
     (shard, id, account_id, mode, key_id, method, path, status, code, duration_ms, is_replayed)
   select a.shard, r.id, a.account_id, a.mode, a.key_id, a.method, a.path, a.status, a.code,
          r.duration_ms, a.is_replayed
     from unnest($1::int[], $2::uuid[], $3::text[], $4::uuid[], $5::text[], $6::text[], $7::smallint[],
                 $8::text[], $9::boolean[], $10::int[], $11::int[])
            as a (shard, account_id, mode, key_id, method, path, status, code, is_replayed, first, last),
          unnest(($12::uuid[])[a.first:a.last], ($13::real[])[a.first:a.last]) as r (id, duration_ms)`,
  { acrossShards: "adds rows, each with its own shard" },
);

/** The accounts with requests older than $2, found by leaps along the key: one for each account and mode, and one to its oldest. */
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

export const forgetRequests = statement(
  "forget_requests",
  `delete from request_log where shard = $1 and account_id = $2 and mode = $3 and ctid = any(array(
     select ctid from request_log where shard = $1 and account_id = $2 and mode = $3 and id < $4
      order by id limit $5 for update skip locked))
   returning 1 as forgotten`,
);

/** One search looks at so many requests and no more: whoever wants older ones goes on from there. */
const REQUESTS_SEARCHED_MAX = 5_000;

export interface RequestsWanted {
  readonly shard: number;
  readonly accountId: string;
  readonly mode: string;
  readonly belowId: string | null;
  readonly limit: number;
  readonly id?: string;
  readonly method?: string;
  /** A status, or a class of them as its first digit. */
  readonly status?: number;
  readonly code?: string;
  readonly keyId?: string;
  /** What the path begins with. */
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
  readonly key_name: string | null;
}

/** A row of a search: a request, or none where nothing was found; on each, how far was searched. */
type SearchedRow = (RequestRow | { readonly id: null }) & { readonly searched_to: string | null };

export interface Requests {
  readonly rows: readonly RequestRow[];
  /** The last request that was looked at, where there were too many to look at all of them. */
  readonly searchedToId: string | null;
}

const COLUMNS = "r.id, r.key_id, r.method, r.path, r.status, r.code, r.duration_ms, r.is_replayed";

/** Newest first, as many as wanted; of those that a filter has to find, as many as one search finds. */
export async function readRequests(db: Queryable, wanted: RequestsWanted): Promise<Requests> {
  const filters = filtersOf(wanted);
  if (filters.length === 0) {
    return { rows: await db.query<RequestRow>(listRequests(wanted)), searchedToId: null };
  }
  const found = await db.query<SearchedRow>(searchRequests(wanted, filters));
  return {
    rows: found.filter((row): row is SearchedRow & RequestRow => row.id !== null),
    searchedToId: found[0]?.searched_to ?? null,
  };
}

/** Along the primary key, which begins like this and ends with the id. */
function ownRequests({ shard, accountId, mode, belowId, id }: RequestsWanted): Fragment {
  const own = sql`r.shard = ${shard} and r.account_id = ${accountId} and r.mode = ${mode}`;
  if (id !== undefined) return sql`${own} and r.id = ${id}::uuid`;
  return belowId === null ? own : sql`${own} and r.id < ${belowId}::uuid`;
}

function listRequests(wanted: RequestsWanted): Step {
  return composed(
    "list_requests",
    sql`select ${raw(COLUMNS)}, k.name as key_name
          from (select * from request_log r where ${ownRequests(wanted)}
                 order by r.id desc limit ${wanted.limit}) r
          left join api_keys k on k.id = r.key_id
         order by r.id desc`,
  );
}

/**
 * Looks through a stretch of the key. Where the page is not full at its end, the row at the end is
 * where the next search begins; a row without a request tells it where nothing was found.
 */
function searchRequests(wanted: RequestsWanted, filters: readonly Fragment[]): Step {
  const { limit } = wanted;
  return composed(
    "search_requests",
    sql`with looked_at as materialized (
          select *, row_number() over (order by id desc) as place
            from (select * from request_log r where ${ownRequests(wanted)}
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

function filtersOf(wanted: RequestsWanted): Fragment[] {
  const { method, status, code, keyId, path } = wanted;
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
