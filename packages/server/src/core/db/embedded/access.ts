import { readFile, writeFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import type pg from "pg";
import type { Folder } from "./folder.ts";

/** Creates the cluster and its roles; used for nothing else. */
export const SUPERUSER = "longwave";
/** Owns the tables: migrations and partitions. */
export const OWNER = "longwave_owner";
/** Role of the application; owns nothing. */
export const APPLICATION = "longwave_app";

const ROLES = [SUPERUSER, OWNER, APPLICATION] as const;
const MAP = "longwave";

/**
 * Allows unix socket connections by the system user that runs Longwave, authenticated by the kernel (peer), as one of
 * the three roles. There is no password to lose.
 */
export async function writeAccess(folder: Folder): Promise<void> {
  const users = new Set([userInfo().username, ...(folder.account ? [folder.account.name] : [])]);
  const maps = [...users].flatMap((user) => ROLES.map((role) => `${MAP} "${user}" ${role}\n`));
  const files = {
    "pg_hba.conf": `local all all peer map=${MAP}\n`,
    "pg_ident.conf": maps.join(""),
  };
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder.cluster, name);
    if ((await readFile(path, "utf8").catch(() => "")) === text) continue;
    // Overwrites the file of initdb in place, so that its owner stays the same.
    await writeFile(path, text, { mode: 0o600 });
  }
}

/** Creates missing roles, and the database with OWNER as its owner. */
export async function ensureRoles(superuser: pg.Client, database: string): Promise<void> {
  for (const role of [OWNER, APPLICATION]) {
    const found = await superuser.query("select 1 from pg_roles where rolname = $1", [role]);
    if (found.rowCount === 0) {
      await superuser.query(
        `create role ${role} login nosuperuser nocreatedb nocreaterole noreplication nobypassrls`,
      );
    }
  }
  const found = await superuser.query("select 1 from pg_database where datname = $1", [database]);
  if (found.rowCount === 0) await superuser.query(`create database ${database} owner ${OWNER}`);
}
