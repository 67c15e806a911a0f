import type pg from "pg";
import { StartFailure } from "../../platform/assert.ts";
import { lockMigrations } from "../schema/migrate.ts";
import { forCitus } from "./functions.ts";
import { inOrder, kindOf, readTables } from "./tables.ts";

/** All distributed tables are colocated with this one, so one worker has all rows of a shard. */
const FIRST_TABLE = "account_counters";
/** First version with delegated functions and triggers on distributed tables. */
const CITUS_OLDEST = 12;

/** Session settings for distributing tables. */
const SETTINGS = [
  // Our triggers only touch rows of their own shard, which are on the same worker.
  "set citus.enable_unsafe_triggers = on",
  "set citus.multi_shard_modify_mode = sequential",
  // Copying a large table may take long.
  "set statement_timeout = 0",
];

const FACTS = `
  select (select extversion from pg_extension where extname = 'citus') as version,
         to_regclass('${FIRST_TABLE}') is not null as has_tables,
         (select count(*)::int from pg_stat_activity
           where datname = current_database() and application_name = 'longwave') as others`;

const NODES = `
  select count(*) filter (where groupid = 0)::int as coordinators,
         count(*) filter (where groupid <> 0 and isactive and noderole = 'primary')::int as workers
    from pg_dist_node`;

/**
 * Our functions. Citus delegates a call as a whole to the worker with the shard, if the shard is the first parameter.
 */
const FUNCTIONS = `
  select p.oid::regprocedure::text as signature, pg_get_functiondef(p.oid) as definition,
         p.proargnames[1] = 'of_shard' and not exists (
           select from pg_dist_object o
            where o.classid = 'pg_proc'::regclass and o.objid = p.oid
              and o.distribution_argument_index is not null) as is_to_distribute
    from pg_proc p join pg_language l on l.oid = p.prolang and l.lanname = 'plpgsql'
   where p.pronamespace = current_schema()::regnamespace
   order by p.oid`;

interface OwnFunction {
  readonly signature: string;
  readonly definition: string;
  readonly is_to_distribute: boolean | null;
}

/**
 * Table with one row per shard, on the worker with that shard: statements that read all shards start from it.
 */
const SHARD_NODES = "shard_nodes";

export interface Distribution {
  /** Connected as the owner of the tables. */
  readonly client: pg.Client;
  /** Number of shards, for an installation that has not stored its own yet. */
  readonly shards: number;
  /** Prints the statements instead of running them. */
  readonly isDryRun?: boolean;
  readonly print: (line: string) => void;
}

/**
 * Turns the installation's tables into distributed and reference tables of Citus, skipping those already done. Each
 * table is a separate statement, so an interrupted run continues where it stopped. Returns the number of statements.
 */
export async function distribute(options: Distribution): Promise<number> {
  const { client, isDryRun = false, print } = options;
  // Serializes processes that start together on a new installation.
  await lockMigrations(client);
  const shards = await refuseUnfit(client, options.shards);
  const statements = await statementsFor(client, shards);
  if (isDryRun) {
    for (const text of statements.length > 0 ? [...SETTINGS, ...statements] : []) print(`${text};`);
    return statements.length;
  }
  for (const text of SETTINGS) await client.query(text);
  for (const text of statements) {
    print(`  ${text.split("\n", 1)[0]}`);
    await client.query(text);
  }
  return statements.length;
}

/** State of Citus in a database. */
export interface KnownDistribution {
  readonly hasWorkers: boolean;
  /** Whether our tables are distributed. */
  readonly isDistributed: boolean;
}

export async function readDistribution(client: pg.ClientBase): Promise<KnownDistribution> {
  const { rows } = await client.query<{ is_citus: boolean }>(
    "select to_regclass('pg_catalog.pg_dist_node') is not null as is_citus",
  );
  if (!rows[0]?.is_citus) return { hasWorkers: false, isDistributed: false };
  const known = await client.query<{ workers: number; is_distributed: boolean }>(
    `select (select count(*)::int from pg_dist_node where groupid <> 0) as workers,
            exists (select from pg_dist_partition
                     where logicalrelid = to_regclass('${FIRST_TABLE}')) as is_distributed`,
  );
  const { workers = 0, is_distributed = false } = known.rows[0] ?? {};
  return { hasWorkers: workers > 0, isDistributed: is_distributed };
}

async function refuseUnfit(client: pg.Client, shardsOfNew: number): Promise<number> {
  const refuse = (sentence: string): never => {
    throw new StartFailure(`The tables were not distributed: ${sentence}`);
  };
  const { rows } = await client.query<{
    version: string | null;
    has_tables: boolean;
    others: number;
  }>(FACTS);
  const { version = null, has_tables = false, others = 0 } = rows[0] ?? {};
  if (version === null) {
    return refuse(
      "this database has no Citus. Run `create extension citus` in it and in the database of the same name on every worker, then add the workers with citus_add_node (docs/scale.md).",
    );
  }
  if (Number.parseInt(version, 10) < CITUS_OLDEST) {
    return refuse(`it has Citus ${version}; ${CITUS_OLDEST} or newer is needed.`);
  }
  const nodes = (await client.query<{ coordinators: number; workers: number }>(NODES)).rows[0];
  if (!nodes?.coordinators) {
    return refuse(
      "Citus does not know its coordinator. Run `select citus_set_coordinator_host('this host', 5432)` here: the directories are kept here as well.",
    );
  }
  if (nodes.workers === 0) {
    return refuse("Citus has no workers. Add them with `select citus_add_node('host', 5432)`.");
  }
  if (!has_tables) return refuse("there are none yet. Run `main.js migrate` first.");
  const made = await client.query<{ shards: number }>("select shards from installation");
  const shards = made.rows[0]?.shards ?? shardsOfNew;
  if (shards === 1) {
    return refuse(
      "this installation has one shard, so all of it would be on one worker. How many there are is settled when an installation is made: make a new one with LONGWAVE_SHARDS=32.",
    );
  }
  // Running processes do not know the tables of new migrations yet, so distributing these is safe.
  const { isDistributed } = await readDistribution(client);
  if (others > 0 && !isDistributed) {
    return refuse(
      `${others} connections of Longwave are open. Stop every process first: one that began before would write in a way that only one PostgreSQL understands.`,
    );
  }
  return shards;
}

async function statementsFor(client: pg.Client, shards: number): Promise<string[]> {
  const tables = inOrder(await readTables(client));
  const isFirstKnown = tables.some((table) => table.name === FIRST_TABLE && table.is_known);
  const missing = tables.filter((table) => !table.is_known);
  const references = missing
    .filter((table) => kindOf(table) === "reference")
    .map(({ name }) => `select create_reference_table('${name}')`);
  const first = isFirstKnown
    ? []
    : [
        `select create_distributed_table('${FIRST_TABLE}', 'shard', colocate_with := 'none', shard_count := ${shards})`,
      ];
  const distributed = missing
    .filter(
      (table) =>
        kindOf(table) === "distributed" && table.name !== FIRST_TABLE && table.name !== SHARD_NODES,
    )
    .map(({ name }) => distributedWith(name));
  const nodes = tables.some((table) => table.name === SHARD_NODES && table.is_known)
    ? []
    : [
        `create table if not exists ${SHARD_NODES} (shard integer primary key)`,
        distributedWith(SHARD_NODES),
        `insert into ${SHARD_NODES} select generate_series(0, ${shards - 1}) on conflict do nothing`,
        `grant select on ${SHARD_NODES} to public`,
      ];
  const functions = await client.query<OwnFunction>(FUNCTIONS);
  return [
    ...references,
    ...first,
    ...distributed,
    ...nodes,
    ...functions.rows.flatMap(statementsForFunction),
  ];
}

function distributedWith(table: string): string {
  return `select create_distributed_table('${table}', 'shard', colocate_with := '${FIRST_TABLE}')`;
}

function statementsForFunction({ signature, definition, is_to_distribute }: OwnFunction): string[] {
  const fitting = forCitus(definition);
  return [
    ...(fitting === definition ? [] : [fitting]),
    ...(is_to_distribute
      ? [
          `select create_distributed_function('${signature}', 'of_shard', colocate_with := '${FIRST_TABLE}')`,
        ]
      : []),
  ];
}
