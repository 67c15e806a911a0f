import { composed, type Fragment, join, raw, sql } from "../db/sql-builder.ts";
import { type Step, statement } from "../db/statement.ts";

/** Values go as columns: one statement for any number of rows. */
export const insertRequests = statement(
  "insert_requests",
  `insert into request_log
     (shard, id, account_id, mode, key_id, method, path, status, code, duration_ms, is_replayed)
   select * from unnest($1::int[], $2::uuid[], $3::uuid[], $4::text[], $5::uuid[], $6::text[],
                        $7::text[], $8::smallint[], $9::text[], $10::real[], $11::boolean[])`,
  { acrossShards: "adds rows, each with its own shard" },
);

/** A filter looks at so many of the newest requests: one that finds nothing must not read them all. */
const REQUESTS_SEARCHED_MAX = 50_000;

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

export function listRequests(wanted: RequestsWanted): Step {
  const { shard, accountId, mode, belowId, limit } = wanted;
  const of = sql`shard = ${shard} and account_id = ${accountId} and mode = ${mode}`;
  const below = belowId === null ? raw("") : sql` and id < ${belowId}::uuid`;
  const filters = filtersOf(wanted);
  const chosen = filters.length === 0 ? raw("") : sql` where ${join(filters, " and ")}`;
  return composed(
    "list_requests",
    sql`select r.id, r.key_id, r.method, r.path, r.status, r.code, r.duration_ms, r.is_replayed,
               k.name as key_name
          from (select * from (select * from request_log where ${of}${below}
                                order by id desc limit ${REQUESTS_SEARCHED_MAX}) newest
                ${chosen} order by id desc limit ${limit}) r
          left join api_keys k on k.id = r.key_id
         order by r.id desc`,
  );
}

function filtersOf(wanted: RequestsWanted): Fragment[] {
  const { id, method, status, code, keyId, path } = wanted;
  const filters: Fragment[] = [];
  if (id !== undefined) filters.push(sql`id = ${id}::uuid`);
  if (method !== undefined) filters.push(sql`method = ${method}`);
  if (status !== undefined) {
    filters.push(status < 10 ? sql`status / 100 = ${status}` : sql`status = ${status}`);
  }
  if (code !== undefined) filters.push(sql`code = ${code}`);
  if (keyId !== undefined) filters.push(sql`key_id = ${keyId}::uuid`);
  if (path !== undefined) filters.push(sql`starts_with(path, ${path})`);
  return filters;
}
