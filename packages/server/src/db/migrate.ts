import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { connected } from "./client.ts";
import { isRetryable, LOCK_NOT_AVAILABLE, sqlStateOf } from "./failures.ts";
import { grantApplication } from "./roles.ts";

/** An advisory lock: of any two processes that migrate at once, one waits for the other. */
export const MIGRATION_LOCK = 7_670_001;
/**
 * How long a migration waits for a lock. Whoever asks for the table meanwhile waits behind it, so it gives
 * up soon, lets them through and tries again: the service goes on while it is upgraded.
 */
const LOCK_WAIT_MS_MAX = 2_000;
const LOCK_RETRY_MS = 500;
/** Somebody who holds a table for longer than this has to be looked for. */
const LOCK_TRIES_MAX = 60;
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
 * told which. Then the role that the application connects as, if it is another than the owner, gets its
 * rights on what there is now.
 */
export async function migrate(
  owner: pg.ClientConfig,
  progress: (line: string) => void = () => {},
  application: string | null = null,
  wanted: () => Promise<readonly Migration[]> = readMigrations,
): Promise<void> {
  await connected(owner, async (client) => {
    await client.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
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
      await applyPatiently(client, migration, progress);
    }
    if (application !== null) await grantApplication(client, application);
  });
}

async function applyPatiently(
  client: pg.Client,
  migration: Migration,
  progress: (line: string) => void,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await applyMigration(client, migration);
    } catch (error) {
      const { cause } = error as Error;
      const isLocked = sqlStateOf(cause) === LOCK_NOT_AVAILABLE || isRetryable(cause);
      if (!isLocked || tries >= LOCK_TRIES_MAX) throw error;
      progress(`  ${migration.name} waits for a table that is in use; trying again …`);
      await sleep(LOCK_RETRY_MS);
    }
  }
}

async function applyMigration(client: pg.Client, migration: Migration): Promise<void> {
  await client.query("begin");
  try {
    await client.query(`set local lock_timeout = ${LOCK_WAIT_MS_MAX}`);
    await client.query(migration.text);
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
