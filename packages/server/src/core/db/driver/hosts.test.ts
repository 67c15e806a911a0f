import assert from "node:assert/strict";
import { test } from "node:test";
import { cloneDatabase } from "../../../../testing/cluster.ts";
import { freePort } from "../../../../testing/free-port.ts";
import { openDatabase } from "./database.ts";
import { createIdentityGuard, readIdentity } from "./database-identity.ts";
import { isUnavailable } from "./failures.ts";
import { createHosts, readAddress } from "./hosts.ts";
import { statement } from "./statement.ts";

const TIMEOUTS = { statementTimeoutMs: 5_000, lockTimeoutMs: 2_000 };
const ageHeartbeat = "update database_identity set heartbeat_at = heartbeat_at - interval '1 hour'";

test("parses URLs with one or several hosts like libpq", () => {
  const one = "postgres://me:p%40ss@db.example:5433/texts?sslmode=require";
  assert.deepEqual(readAddress(one), { connectionString: one });
  assert.deepEqual(
    readAddress("postgres://me@a:1,[::1]:2,c/texts?target_session_attrs=read-write&sslmode=require")
      ?.addresses,
    ["a:1", "[::1]:2", "c"].map((host) => `postgres://me@${host}/texts?sslmode=require`),
  );
  for (const text of ["mysql://a/b", "a:1,b:2", "postgres://a,b/c?target_session_attrs=standby"]) {
    assert.equal(readAddress(text), undefined, text);
  }
});

test("skips a failed address once, however many connections failed there", () => {
  const hosts = createHosts({ addresses: ["postgres://one", "postgres://two"] });
  const [first, second] = [hosts.current(), hosts.current()];
  assert.equal(first.config.connectionString, "postgres://one");
  first.failed();
  second.failed();
  assert.equal(hosts.current().config.connectionString, "postgres://two");
  hosts.current().failed();
  assert.equal(hosts.current().config.connectionString, "postgres://one");
});

test("connects to the live database, and refuses one that was restored meanwhile", async (t) => {
  const database = await cloneDatabase();
  const { host, port, user, database: name } = database.connection;
  const at = `postgres://${user}@/${name}?host=${encodeURIComponent(String(host))}&port=${port}`;
  const dead = await freePort();
  const guard = createIdentityGuard();
  const replaced: string[] = [];
  guard.onReplaced((sentence) => replaced.push(sentence));
  const hosts = createHosts({ addresses: [`postgres://x@127.0.0.1:${dead}/x`, at] });
  const db = openDatabase({
    connection: database.connection,
    ...TIMEOUTS,
    target: { hosts, guard },
  });
  t.after(async () => {
    await db.close();
    await database.drop();
  });
  await assert.rejects(readIdentity(db), (error) => isUnavailable(error));
  const home = await readIdentity(db);
  assert.match(home.home, /^\d+\/\d+$/);
  assert.equal(home.timeline, 1);
  assert.equal(guard.seen()?.home, home.home);

  // Simulates an older backup behind the address: new connections see it at once.
  await db.query(statement("test_age_heartbeat", ageHeartbeat), []);
  await assert.rejects(
    db.tx(async (tx) => readIdentity(tx)),
    (error) => isUnavailable(error),
  );
  assert.equal(replaced.length, 1);
  assert.match(replaced[0] as string, /was restored, or replaced by another one/);
});
