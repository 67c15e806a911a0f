import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "./free-port.ts";
import { folderFor, initialise, type Server, serverIn, USER } from "./postgres-servers.ts";
import type { Occasion } from "./program.ts";
import { until } from "./until.ts";

const run = promisify(execFile);

/** A primary whose commits wait for its synchronous standby. */
export interface ReplicatedPostgres {
  readonly primary: Server;
  readonly standby: Server;
  /** URL with both addresses, the primary's first. */
  url(database: string): string;
}

/** Starts a primary and its synchronous standby, with an installed PostgreSQL. */
export async function startReplicatedPostgres(
  t: Occasion,
  bin: string,
): Promise<ReplicatedPostgres> {
  const { as, ends } = await folderFor(t);
  const folder = as.cwd;
  const first = join(folder, "first");
  await initialise(bin, first, as);
  const primary = serverIn(bin, folder, first, await freePort(), as);
  ends.push(primary.kill);
  await primary.start();
  const second = join(folder, "second");
  const source = ["-h", folder, "-p", String(primary.port), "-U", USER];
  await run(
    join(bin, "pg_basebackup"),
    [...source, "-D", second, "-R", "-X", "stream", "-c", "fast", "-C", "-S", "second"],
    as,
  );
  const standby = serverIn(bin, folder, second, await freePort(), as);
  ends.push(standby.kill);
  await standby.start();
  // Commits wait for both servers from here on. The standby was copied before this setting.
  await primary.query("postgres", "alter system set synchronous_standby_names = '*'");
  await primary.query("postgres", "select pg_reload_conf()");
  await until(async () => {
    const rows = await primary.query("postgres", "select sync_state from pg_stat_replication");
    return rows[0]?.["sync_state"] === "sync";
  });
  const hosts = [primary, standby].map(({ port }) => `127.0.0.1:${port}`).join(",");
  return {
    primary,
    standby,
    url: (database) => `postgres://${USER}@${hosts}/${database}?target_session_attrs=read-write`,
  };
}
