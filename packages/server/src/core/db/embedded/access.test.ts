import assert from "node:assert/strict";
import { readFile, stat } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import pg from "pg";
import { openWorkshop, query } from "../../../../testing/embedded.ts";

test("only the system user of Longwave may connect, without a password, as three roles", async (t) => {
  const workshop = await openWorkshop();
  t.after(() => workshop.close());
  const dataDir = join(workshop.root, "a");
  const server = await workshop.start(dataDir);
  const cluster = join(dataDir, "postgres/cluster");
  const rules = await readFile(join(cluster, "pg_hba.conf"), "utf8");
  assert.equal(rules, "local all all peer map=longwave\n");
  const users = await readFile(join(cluster, "pg_ident.conf"), "utf8");
  assert.ok(users.includes(`longwave "${userInfo().username}" longwave_app`));
  assert.equal((await stat(join(cluster, "pg_hba.conf"))).mode & 0o077, 0);

  const roles = await query(
    server,
    "select rolname, rolsuper from pg_roles where rolname like 'longwave%' order by rolname",
  );
  assert.deepEqual(roles, [
    { rolname: "longwave", rolsuper: true },
    { rolname: "longwave_app", rolsuper: false },
    { rolname: "longwave_owner", rolsuper: false },
  ]);
  const stranger = new pg.Client({ ...server.connection, user: "somebody" });
  await assert.rejects(stranger.connect(), /[Pp]eer authentication failed|does not exist/);
  const [owner] = await query(
    server,
    "select pg_get_userbyid(datdba) as owner from pg_database where datname = current_database()",
  );
  assert.deepEqual(owner, { owner: "longwave_owner" });
});
