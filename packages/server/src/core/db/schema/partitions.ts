import { expect } from "../../platform/assert.ts";
import type { Clock } from "../../platform/clock.ts";
import { firstUuidAt } from "../../platform/ids.ts";
import type { Log } from "../../platform/log.ts";
import type { Database, Queryable, Tx } from "../driver/database.ts";
import { isUnavailable } from "../driver/failures.ts";
import { composed, raw, sql } from "../driver/sql-builder.ts";
import { statement } from "../driver/statement.ts";
import { RETENTION } from "./retention.ts";

/** A table with one partition a month, by the time in its key, a UUIDv7. */
export interface PartitionedTable {
  readonly table: string;
  readonly key: string;
  /** Drops months that ended longer ago; null keeps them for ever. */
  readonly keepDays: number | null;
  /** Fill factor in percent: room on the page for HOT updates of rows that change soon. */
  readonly fillPercent?: number;
  /** Statistics target of ANALYZE, if lower than the default. */
  readonly statisticsTarget?: number;
  /**
   * Growth, as a fraction of the table, before autovacuum analyses it again; if higher than the default.
   */
  readonly analyzedAtGrowth?: number;
}

export const PARTITIONED_TABLES: readonly PartitionedTable[] = Object.entries(RETENTION).flatMap(
  ([table, retention]) => (retention.by === "partition" ? [{ table, ...retention }] : []),
);

/** Partitions are made this many months ahead, so the task may be down for two months. */
const MONTHS_AHEAD = 2;
/** Maximum rows moved out of the default partition: moving more would block writers. */
const ROWS_MOVED_MAX = 10_000;
const ROWS_PER_DELETE_MAX = 5_000;
const DELETES_MAX = 20;
const DAY_MS = 86_400_000;
/** Advisory lock that serializes processes creating partitions. */
const PARTITION_LOCK = 7_670_002;
/** Polled, because waiting in the database would end at the lock timeout. */
const LOCK_TRIES_MAX = 300;
const LOCK_RETRY_MS = 100;
const DROP_LOCK_MS_MAX = 50;

const ACROSS = { acrossShards: "partitions hold the rows of every shard" };

const listPartitions = statement(
  "list_partitions",
  `select parent.relname as parent, child.relname as name
     from pg_inherits i
     join pg_class parent on parent.oid = i.inhparent
     join pg_class child on child.oid = i.inhrelid
    where parent.relname = any($1) and parent.relnamespace = current_schema()::regnamespace`,
  { acrossShards: "reads the catalog" },
);

const writtenColumns = statement(
  "written_columns",
  `select array_agg(quote_ident(attname) order by attnum) as columns from pg_attribute
    where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
  { acrossShards: "reads the catalog" },
);

/**
 * Dropping locks the whole table, and its users queue behind the waiting drop. So the wait is short and retried.
 */
const waitBriefly = statement(
  "wait_briefly_for_locks",
  `select set_config('lock_timeout', '${DROP_LOCK_MS_MAX}ms', true)`,
);

const lockPartitions = statement(
  "lock_partitions",
  "select pg_try_advisory_xact_lock($1) as is_locked",
);

/** Lets this transaction delete from append-only tables, on every node. */
const allowMoves = statement("allow_partition_moves", "set local longwave.moves_partitions = 'on'");

interface Partitioning {
  /** Connected as the owner of the tables. */
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
}

/** Dependencies of the application, which borrows an owner connection. */
interface PartitionUpkeep extends Pick<Partitioning, "clock" | "log"> {
  readonly asOwner: <T>(work: (db: Database) => Promise<T>) => Promise<T>;
}

export function keepPartitions(deps: PartitionUpkeep): Promise<void> {
  const { clock, log } = deps;
  return deps.asOwner((db) => maintainPartitions({ db, clock, log }));
}

/**
 * Start-up continues after a failure: rows go to the default partition, and the periodic task retries.
 */
export async function keepPartitionsAtStart(deps: PartitionUpkeep): Promise<void> {
  await keepPartitions(deps).catch((error: unknown) => {
    deps.log.warn({ err: error }, "partitions: maintenance failed");
  });
}

/**
 * Creates the partitions of this month and the next ones, and drops expired ones. Rows of months without a partition go
 * to the default partition, so nothing depends on timing.
 */
export async function maintainPartitions(
  deps: Partitioning,
  tables: readonly PartitionedTable[] = PARTITIONED_TABLES,
): Promise<void> {
  const present = await namesOfPartitions(deps.db, tables);
  const now = deps.clock.now();
  for (const table of tables) {
    for (let ahead = 0; ahead <= MONTHS_AHEAD; ahead += 1) {
      const month = monthAt(now, ahead);
      const name = partitionName(table, month);
      if (!present.has(name)) await createPartition(deps, table, name, month);
    }
    if (table.keepDays !== null) {
      await dropBefore(deps, table, now - table.keepDays * DAY_MS, present);
    }
  }
}

async function namesOfPartitions(
  db: Queryable,
  tables: readonly PartitionedTable[],
): Promise<Set<string>> {
  const names = tables.map((table) => table.table);
  const rows = await db.query<{ name: string }>(listPartitions, [names]);
  return new Set(rows.map((row) => row.name));
}

/** A UTC month: start inclusive, end exclusive. */
interface Month {
  readonly startMs: number;
  readonly endMs: number;
}

export function monthAt(ms: number, ahead = 0): Month {
  const date = new Date(ms);
  const start = (extra: number) =>
    Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + ahead + extra, 1);
  return { startMs: start(0), endMs: start(1) };
}

function partitionName(table: PartitionedTable, month: Month): string {
  const [year, monthNumber] = new Date(month.startMs).toISOString().split("-");
  return `${table.table}_${year}_${monthNumber}`;
}

/**
 * Creates the partition as a separate table, then attaches it. Attaching locks only the default partition, which PostgreSQL
 * scans for rows of the month; these rows move first.
 */
async function createPartition(
  deps: Partitioning,
  table: PartitionedTable,
  name: string,
  month: Month,
): Promise<void> {
  for (let tries = 0; tries < LOCK_TRIES_MAX; tries += 1) {
    const made = await deps.db.tx((tx) => createInTurn(deps, tx, table, name, month));
    if (made === "done") return;
    if (made === "too_many_rows") break;
    await deps.clock.sleep(LOCK_RETRY_MS);
  }
  deps.log.warn({ partition: name }, "partitions: not created, rows go to the default partition");
}

async function createInTurn(
  { db }: Partitioning,
  tx: Tx,
  table: PartitionedTable,
  name: string,
  month: Month,
): Promise<"done" | "too_many_rows" | "not_our_turn"> {
  const from = firstUuidAt(month.startMs);
  const to = firstUuidAt(month.endMs);
  const [lock] = await tx.query<{ is_locked: boolean }>(lockPartitions, [PARTITION_LOCK]);
  if (!lock?.is_locked) return "not_our_turn";
  if ((await namesOfPartitions(tx, [table])).has(name)) return "done";
  const rows = await countInDefault(tx, table, from, to);
  // On Citus rows cannot move between partitions: they stay in the default one.
  if (rows > (db.isDistributed ? 0 : ROWS_MOVED_MAX)) return "too_many_rows";
  await run(
    tx,
    "create_partition",
    `create table ${name} (like ${table.table} including all) ${storageOf(table)}`,
  );
  const names = await columnsOf(tx, table);
  if (table.statisticsTarget !== undefined) {
    const target = table.statisticsTarget;
    const each = names.map((column) => `alter column ${column} set statistics ${target}`);
    await run(tx, "set_statistics", `alter table ${name} ${each.join(", ")}`);
  }
  if (rows > 0) await moveToPartition(tx, table, name, names, { from, to });
  await run(
    tx,
    "attach_partition",
    `alter table ${table.table} attach partition ${name} for values from ('${from}') to ('${to}')`,
  );
  return "done";
}

function storageOf({ fillPercent = 100, analyzedAtGrowth }: PartitionedTable): string {
  const growth = analyzedAtGrowth;
  const analyzing = growth === undefined ? "" : `, autovacuum_analyze_scale_factor = ${growth}`;
  return `with (fillfactor = ${fillPercent}${analyzing})`;
}

async function moveToPartition(
  tx: Tx,
  table: PartitionedTable,
  name: string,
  names: readonly string[],
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  await tx.query(allowMoves, []);
  const columns = raw(names.join(", "));
  await tx.query(
    composed(
      "move_to_partition",
      sql`with moved as (
          delete from ${raw(`${table.table}_default`)}
           where ${raw(table.key)} >= ${from} and ${raw(table.key)} < ${to} returning ${columns}
        )
        insert into ${raw(name)} (${columns}) select ${columns} from moved`,
      ACROSS,
    ),
  );
}

/** Columns that inserts write: all except generated ones. */
async function columnsOf(tx: Tx, table: PartitionedTable): Promise<readonly string[]> {
  const [row] = await tx.query<{ columns: string[] }>(writtenColumns, [table.table]);
  return expect(row, "a table has columns").columns;
}

/** Counts up to ROWS_MOVED_MAX + 1. */
async function countInDefault(
  tx: Tx,
  table: PartitionedTable,
  from: string,
  to: string,
): Promise<number> {
  const [row] = await tx.query<{ rows: number }>(
    composed(
      "count_in_default_partition",
      sql`select count(*)::int as rows from (
          select 1 from ${raw(`${table.table}_default`)}
           where ${raw(table.key)} >= ${from} and ${raw(table.key)} < ${to}
           limit ${ROWS_MOVED_MAX + 1}
        ) counted`,
      ACROSS,
    ),
  );
  return row?.rows ?? 0;
}

async function dropBefore(
  deps: Partitioning,
  table: PartitionedTable,
  beforeMs: number,
  present: ReadonlySet<string>,
): Promise<void> {
  for (const name of present) {
    const month = monthOfPartition(table, name);
    if (!month || month.endMs > beforeMs) continue;
    await dropPartition(deps, name);
  }
  await emptyDefault(deps, table, firstUuidAt(beforeMs));
}

async function dropPartition(deps: Partitioning, name: string): Promise<void> {
  for (let tries = 0; tries < LOCK_TRIES_MAX; tries += 1) {
    try {
      await deps.db.tx(async (tx) => {
        await tx.query(waitBriefly, []);
        await run(tx, "drop_partition", `drop table if exists ${name}`);
      });
      deps.log.info({ partition: name }, "partitions: dropped");
      return;
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      await deps.clock.sleep(LOCK_RETRY_MS);
    }
  }
  deps.log.warn({ partition: name }, "partitions: expired partition in use, not dropped");
}

function monthOfPartition(table: PartitionedTable, name: string): Month | null {
  const prefix = `${table.table}_`;
  const match = name.startsWith(prefix)
    ? /^(\d{4})_(\d{2})$/.exec(name.slice(prefix.length))
    : null;
  return match ? monthAt(Date.UTC(Number(match[1]), Number(match[2]) - 1, 1)) : null;
}

/** Deletes expired rows of the default partition in chunks, because it cannot be dropped. */
async function emptyDefault(
  deps: Partitioning,
  table: PartitionedTable,
  before: string,
): Promise<void> {
  const name = raw(`${table.table}_default`);
  for (let deletes = 0; deletes < DELETES_MAX; deletes += 1) {
    const rows = await deps.db.tx(async (tx) => {
      await tx.query(allowMoves, []);
      const some = sql`delete from ${name} where ctid = any (array(
          select ctid from ${name} where ${raw(table.key)} < ${before} limit ${ROWS_PER_DELETE_MAX}
        )) returning 1 as gone`;
      // On Citus a ctid is not unique across shards: delete all rows at once.
      const all = sql`delete from ${name} where ${raw(table.key)} < ${before}`;
      const gone = deps.db.isDistributed ? all : some;
      return tx.query(composed("empty_default_partition", gone, ACROSS));
    });
    if (rows.length < ROWS_PER_DELETE_MAX) return;
  }
}

async function run(db: Queryable, name: string, text: string): Promise<void> {
  await db.query(composed(name, raw(text), ACROSS));
}
