import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { connected } from "../driver/client.ts";
import { LOCK_WAIT_MS_MAX, type Progress, retryOnLock } from "../driver/retry-on-lock.ts";
import { finishIndexes } from "./indexes.ts";
import { lockInOrder } from "./lock-order.ts";
import { statementsOf } from "./migration-text.ts";
import { grantApplication } from "./roles.ts";

/** Advisory lock that serializes migrating processes. */
const MIGRATION_LOCK = 7_670_001;
const LOCK_RETRY_MS = 100;
/**
 * One hour. A process without the lock by then reports an error, and its supervisor restarts it.
 */
const LOCK_TRIES_MAX = 36_000;
const MIGRATIONS_FOLDER = new URL("./migrations/", import.meta.url);

/** A migration that cannot be applied. The server must not run on an unknown schema. */
export class MigrationFailure extends Error {
  override readonly name: string = "MigrationFailure";
}

export interface Migration {
  readonly name: string;
  readonly text: string;
  readonly checksum: string;
}

export async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(MIGRATIONS_FOLDER)).filter((name) => name.endsWith(".sql")).sort();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, MIGRATIONS_FOLDER), "utf8");
      return { name, text, checksum: createHash("sha256").update(text).digest("hex") };
    }),
  );
}

/**
 * Applies missing migrations, once, under a lock, each file in its own transaction; then builds the indexes that they
 * started, month by month. If the application connects as another role than the owner, grants that role its rights.
 * Returns the number of files applied.
 */
export async function migrate(
  owner: pg.ClientConfig,
  progress: Progress = () => {},
  application: string | null = null,
  wanted: () => Promise<readonly Migration[]> = readMigrations,
): Promise<number> {
  return connected(owner, async (client) => {
    await lockMigrations(client);
    await client.query(
      "create table if not exists schema_migrations (name text primary key, checksum text not null, applied_at timestamptz not null default now())",
    );
    const applied = await client.query<{ name: string; checksum: string }>(
      "select name, checksum from schema_migrations",
    );
    const known = new Map(applied.rows.map((row) => [row.name, row.checksum]));
    let files = 0;
    for (const migration of await wanted()) {
      const before = known.get(migration.name);
      if (before === migration.checksum) continue;
      if (before) {
        throw new MigrationFailure(
          `The migration ${migration.name} was changed after it ran here. Restore the file as released.`,
        );
      }
      progress(`migrate: applying ${migration.name}`, "debug");
      await retryOnLock(migration.name, progress, () => applyMigration(client, migration));
      files += 1;
    }
    await finishIndexes(client, progress).catch((error: Error) => {
      throw new MigrationFailure(
        `An index could not be built: ${error.message}. The next start goes on where this one stopped.`,
        { cause: error },
      );
    });
    if (application !== null) await grantApplication(client, application);
    return files;
  });
}

/**
 * Takes the lock until the connection ends. Polls instead of waiting: `create index concurrently` waits for every
 * running statement, including one that waits for this lock.
 */
export async function lockMigrations(client: pg.Client): Promise<void> {
  for (let tries = 0; tries < LOCK_TRIES_MAX; tries += 1) {
    const { rows } = await client.query<{ is_ours: boolean }>(
      "select pg_try_advisory_lock($1) as is_ours",
      [MIGRATION_LOCK],
    );
    if (rows[0]?.is_ours) return;
    await sleep(LOCK_RETRY_MS);
  }
  throw new MigrationFailure(
    "Another process has been migrating the database for an hour. See what it waits for, or start again.",
  );
}

async function applyMigration(client: pg.Client, migration: Migration): Promise<void> {
  await client.query("begin");
  try {
    await client.query(`set local lock_timeout = ${LOCK_WAIT_MS_MAX}`);
    await lockInOrder(client, migration.text);
    for (const statement of statementsOf(migration.text)) await client.query(statement);
    await client.query("insert into schema_migrations (name, checksum) values ($1, $2)", [
      migration.name,
      migration.checksum,
    ]);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback");
    throw new MigrationFailure(
      `The migration ${migration.name} failed: ${(error as Error).message}`,
      { cause: error },
    );
  }
}
