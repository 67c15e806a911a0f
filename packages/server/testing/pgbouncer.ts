import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type OutsidePostgres, unprivileged } from "./external-postgres.ts";
import { freePort } from "./free-port.ts";
import type { Occasion } from "./program.ts";
import { until } from "./until.ts";

const PATHS = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer"];

/** Path of the installed PgBouncer; null if there is none. */
export async function findPgBouncer(): Promise<string | null> {
  for (const path of PATHS) {
    const found = await promisify(execFile)(path, ["--version"]).catch(() => null);
    if (found !== null) return path;
  }
  return null;
}

/** Starts a PgBouncer in front of a PostgreSQL. */
export async function startPgBouncer(
  t: Occasion,
  program: string,
  outside: OutsidePostgres,
  mode: "session" | "transaction",
): Promise<{ url(database: string): string }> {
  const folder = await mkdtemp(join(tmpdir(), "lw-pooler-"));
  await chmod(folder, 0o755);
  const port = await freePort();
  const settings = join(folder, "pgbouncer.ini");
  const users = join(folder, "users");
  await writeFile(users, `"${outside.user}" "${outside.password}"\n`);
  await writeFile(
    settings,
    `[databases]
* = host=127.0.0.1 port=${outside.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${users}
pool_mode = ${mode}
default_pool_size = 50
`,
  );
  const account = await unprivileged();
  if (account)
    for (const path of [folder, settings, users]) await chown(path, account.uid, account.gid);
  const child = spawn(program, [settings], { stdio: "ignore", ...account });
  const ended = once(child, "exit");
  t.after(async () => {
    child.kill("SIGKILL");
    await ended;
    await rm(folder, { recursive: true, force: true });
  });
  await until(() => answers(port));
  return {
    url: (database) =>
      `postgres://${outside.user}:${outside.password}@127.0.0.1:${port}/${database}`,
  };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
