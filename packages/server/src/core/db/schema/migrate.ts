import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { connected } from "./client.ts";
import { finishIndexes } from "./indexes.ts";
import { lockInOrder } from "./lock-order.ts";
import { statementsOf } from "./migration-text.ts";
import { LOCK_WAIT_MS_MAX, patiently } from "./patience.ts";
import { grantApplication } from "./roles.ts";

/** An advisory lock: of any two processes that migrate at once, one waits for the other. */
const MIGRATION_LOCK = 7_670_001;
const TURN_RETRY_MS = 100;
/** An hour. Whoever has not had a turn by then says so, and is started again. */
const TURN_TRIES_MAX = 36_000;
const MIGRATIONS_FOLDER = new URL("./migrations/", import.meta.url);

/** A migration that cannot be applied: the server must not run on a schema it does not know. */
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
 * Applies what is missing, each file in its own transaction, once, under a lock: all of them, unless
 * told which. Then the indexes that they began are built, month by month, and the role that the application
 * connects as, if it is another than the owner, gets its rights on what there is now.
 */
export async function migrate(
  owner: pg.ClientConfig,
  progress: (line: string) => void = () => {},
  application: string | null = null,
  wanted: () => Promise<readonly Migration[]> = readMigrations,
): Promise<void> {
  await connected(owner, async (client) => {
    await lockMigrations(client);
    await client.query(
      "create table if not exists schema_migrations (name text primary key, checksum text not null, applied_at timestamptz not null default now())",
    );
    const applied = await client.query<{ name: string; checksum: string }>(
      "select name, checksum from schema_migrations",
    );
    const known = new Map(applied.rows.map((row) => [row.name, row.checksum]));
    for (const migration of await wanted()) {
      const before = known.get(migration.name);
      if (before === migration.checksum) continue;
      if (before) {
        throw new MigrationFailure(
          `The migration ${migration.name} was changed after it ran here. Restore the file as released.`,
        );
      }
      progress(`Migrating the database: ${migration.name} …`);
      await patiently(migration.name, progress, () => applyMigration(client, migration));
    }
    await finishIndexes(client, progress).catch((error: Error) => {
      throw new MigrationFailure(
        `An index could not be built: ${error.message}. The next start goes on where this one stopped.`,
        { cause: error },
      );
    });
    if (application !== null) await grantApplication(client, application);
  });
}

/**
 * Until the connection ends. It is asked for again and again: an index that is built beside others waits for
 * every statement that has begun, and so would wait for one that waits for this lock.
 */
export async function lockMigrations(client: pg.Client): Promise<void> {
  for (let tries = 0; tries < TURN_TRIES_MAX; tries += 1) {
    const { rows } = await client.query<{ is_ours: boolean }>(
      "select pg_try_advisory_lock($1) as is_ours",
      [MIGRATION_LOCK],
    );
    if (rows[0]?.is_ours) return;
    await sleep(TURN_RETRY_MS);
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
