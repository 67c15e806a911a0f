import type { Base } from "../base.ts";
import { type Statement, statement } from "../db/statement.ts";

/** The earliest due time of one shard. */
export interface DueShard {
  readonly shard: number;
  readonly dueAt: number;
}

/** A row for each shard, for statements that look at all of them. */
export const EVERY_SHARD = "generate_series(0, (select shards from installation) - 1) as s (shard)";

/** The same on Citus, where each worker has the rows of its own shards. */
export const EVERY_SHARD_ON_CITUS = "shard_places s";

/**
 * A statement that finds the earliest due time of every shard: one probe each of an index that
 * starts with `shard` and the due column, however many rows wait. `where` may use parameters.
 */
export function dueByShard(
  name: string,
  source: { readonly table: string; readonly dueAt: string; readonly where: string },
): Statement {
  const from = (shards: string) =>
    `select s.shard, d.due_at
       from ${shards}
      cross join lateral (
        select ${source.dueAt} as due_at from ${source.table}
         where shard = s.shard and ${source.where}
         order by ${source.dueAt} limit 1
      ) d`;
  return statement(name, from(EVERY_SHARD), {
    onCitus: from(EVERY_SHARD_ON_CITUS),
    acrossShards: "finds out which shards have due work",
  });
}

type DueDeps = Pick<Base, "db" | "clock" | "shards">;

async function readDueShards(
  deps: DueDeps,
  due: Statement,
  values: readonly unknown[] = [],
): Promise<DueShard[]> {
  const rows = await deps.db.query<{ shard: number; due_at: number }>(due, values);
  return rows.map((row) => ({ shard: row.shard, dueAt: row.due_at }));
}

/** The earliest due time over all shards; what `nextDueAt` of a lane answers. */
export async function earliestDue(
  deps: DueDeps,
  due: Statement,
  values: readonly unknown[] = [],
): Promise<number | null> {
  const shards = await readDueShards(deps, due, values);
  return shards.length === 0 ? null : Math.min(...shards.map((shard) => shard.dueAt));
}

/** The shards that have work due now, the longest waiting first. One shard needs no question. */
export async function shardsDueNow(
  deps: DueDeps,
  due: Statement,
  values: readonly unknown[] = [],
): Promise<number[]> {
  if (deps.shards === 1) return [0];
  const now = deps.clock.now();
  const shards = await readDueShards(deps, due, values);
  return shards
    .filter((shard) => shard.dueAt <= now)
    .sort((a, b) => a.dueAt - b.dueAt)
    .map((shard) => shard.shard);
}
