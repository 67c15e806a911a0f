import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import {
  findPostgres,
  type OutsidePostgres,
  startOutsidePostgres,
} from "../../../testing/external-postgres.ts";
import { freePort } from "../../../testing/free-port.ts";
import { findPgBouncer, startPgBouncer } from "../../../testing/pgbouncer.ts";
import { endOf, startProgram } from "../../../testing/program.ts";
import { processesIn, temporaryFolder } from "../../../testing/temporary-folder.ts";
import { until } from "../../../testing/until.ts";
import { loadConfig } from "../../core/config/config.ts";
import {
  CONNECTIONS_PER_PROCESS,
  CONNECTIONS_PER_PROCESS_MIN,
  requestTransactionsOf,
} from "../../core/db/driver/profiles.ts";
import { systemClock } from "../../core/platform/clock.ts";
import { checkDatabaseIdentity } from "../../surfaces/restore-guard/check-database-identity.ts";
import { refuseUnsupported, type ServerFacts } from "./external-postgres-check.ts";
import { connectionsNeeded, openPostgres } from "./postgres.ts";

const KEY = "5a".repeat(32);
const READY = /^Longwave is ready at (http:\S+)$/m;

const FIT: ServerFacts = {
  role: "app",
  is_superuser: false,
  version: 15,
  encoding: "UTF8",
  is_replica: false,
  timeline: 1,
  may_create: true,
  connections_max: 100,
  is_durable: true,
  shares_sessions: false,
};

test("an unsupported PostgreSQL is refused at the start, in one line", () => {
  refuseUnsupported(FIT, 20);
  const cases: readonly [Partial<ServerFacts>, RegExp][] = [
    [{ version: 14 }, /^DATABASE_URL .+ is version 14: Longwave needs 15 or newer\.$/],
    [{ encoding: "SQL_ASCII" }, /^DATABASE_URL .+ stores text as SQL_ASCII/],
    [{ is_replica: true }, /^DATABASE_URL .+ is a read-only replica/],
    [{ shares_sessions: true }, /^DATABASE_URL .+ set the pooler to session mode/],
    [{ may_create: false }, /^DATABASE_URL .+ lets this user create no tables/],
    [
      { connections_max: 19 },
      /takes 19 connections where 20 are needed: raise its max_connections/,
    ],
  ];
  for (const [facts, line] of cases) {
    assert.throws(() => refuseUnsupported({ ...FIT, ...facts }, 20), {
      name: "StartFailure",
      message: line,
    });
  }
});

test("more API processes need more connections", () => {
  const needed = (processes: string) =>
    connectionsNeeded(loadConfig({ LONGWAVE_PROCESSES: processes }));
  assert.ok(needed("4") > needed("2"));
  assert.ok(needed("2") > needed("1"));
  assert.equal(loadConfig({}).databaseConnections, CONNECTIONS_PER_PROCESS);
  const few = loadConfig({ LONGWAVE_DATABASE_CONNECTIONS: String(CONNECTIONS_PER_PROCESS_MIN) });
  assert.equal(connectionsNeeded(few), CONNECTIONS_PER_PROCESS_MIN + 2);
  assert.equal(requestTransactionsOf(CONNECTIONS_PER_PROCESS_MIN), 2);
  assert.throws(() =>
    loadConfig({ LONGWAVE_DATABASE_CONNECTIONS: String(CONNECTIONS_PER_PROCESS_MIN - 1) }),
  );
});

test("an unreachable PostgreSQL is retried until the deadline", async () => {
  const port = await freePort();
  const config = loadConfig({ DATABASE_URL: `postgres://me:hush-hush@127.0.0.1:${port}/x` });
  // Time passes only during sleeps, so the wait takes no time.
  let nowMs = 0;
  let sleeps = 0;
  const clock = {
    ...systemClock(),
    monotonic: () => nowMs,
    sleep: async (ms: number) => {
      nowMs += ms;
      sleeps += 1;
    },
  };
  const lines: string[] = [];
  const opened = openPostgres(config, { clock, progress: (line) => lines.push(line) });
  await assert.rejects(opened, (error: Error) => {
    assert.equal(error.name, "StartFailure");
    assert.match(
      error.message,
      /^DATABASE_URL names a PostgreSQL that cannot be used: .*ECONNREFUSED/,
    );
    assert.ok(!error.message.includes("hush-hush"));
    return true;
  });
  assert.ok(sleeps >= 20);
  assert.ok(lines.some((line) => line.includes("waiting for it")));
});

const available = await findPostgres();
const skip = "missing" in available ? available.missing : false;

describe("an installed PostgreSQL", { skip }, () => {
  let outside: OutsidePostgres;

  before(async () => {
    if ("missing" in available) return;
    outside = await startOutsidePostgres(available.bin, { max_connections: "60" });
    await outside.query("postgres", "create database longwave");
  });
  after(() => outside.stop());

  test("serves an installation: migrations, a first run, a second machine, a stop", async (t) => {
    const env = {
      PORT: "0",
      DATABASE_URL: outside.url("longwave"),
      LONGWAVE_SECRET_KEY: KEY,
    };
    const folder = await temporaryFolder(t);
    const first = startProgram(t, { env: { ...env, LONGWAVE_DATA: folder } });
    const url = (await first.says(READY))[1] as string;
    assert.match(first.stderr(), /^Migrated: \d+ files in \d+\.\d s\.$/m);
    assert.match(first.stderr(), /Note: the role owner is a superuser\. With a limited one/);
    assert.deepEqual(await processesIn(folder), [], "no database of its own");

    const token = (await readFile(join(folder, "operator-token"), "utf8")).trim();
    const operate = async (path: string, body: unknown) => {
      const answer = await fetch(`${url}/operator/v1${path}`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          "idempotency-key": path,
        },
        body: JSON.stringify(body),
      });
      return (await answer.json()) as { id: string; key: string };
    };
    const account = await operate("/accounts", { name: "Outside" });
    const { key } = await operate(`/accounts/${account.id}/keys`, { mode: "test" });
    assert.equal((await operate("/accounts", { name: "Outside" })).id, account.id);

    const other = await temporaryFolder(t);
    const second = startProgram(t, { env: { ...env, LONGWAVE_DATA: other } });
    const otherUrl = (await second.says(READY))[1] as string;
    assert.doesNotMatch(second.stdout(), /curl/, "it is not the first run of this installation");
    const answer = await fetch(`${otherUrl}/v1/account`, {
      headers: { authorization: `Bearer ${key}` },
    });
    assert.equal(((await answer.json()) as { id: string }).id, account.id);

    first.child.kill("SIGTERM");
    second.child.kill("SIGTERM");
    assert.deepEqual([await endOf(first), await endOf(second)], [0, 0]);
    // PostgreSQL ends a session some time after its client has gone.
    await until(async () => {
      const [left] = await outside.query(
        "longwave",
        "select count(*)::int as sessions from pg_stat_activity where application_name = 'longwave'",
      );
      return left?.["sessions"] === 0;
    });
  });

  test("with two roles the application owns nothing and rewrites no ledger", async (t) => {
    const { password } = outside;
    await outside.query("postgres", `create role keeper login password '${password}'`);
    await outside.query("postgres", `create role clerk login password '${password}'`);
    await outside.query("postgres", "create database two owner keeper");
    const as = (role: string) => outside.url("two").replace(`${outside.user}:`, `${role}:`);
    const folder = await temporaryFolder(t);
    const env = { PORT: "0", LONGWAVE_DATA: folder, DATABASE_URL: as("clerk") };
    const program = startProgram(t, { env: { ...env, DATABASE_OWNER_URL: as("keeper") } });
    const url = (await program.says(READY))[1] as string;
    assert.doesNotMatch(program.stderr(), /Note:/);
    const { test_key } = JSON.parse(await readFile(join(folder, "first-run.json"), "utf8"));
    const sent = await fetch(`${url}/v1/messages`, {
      method: "POST",
      headers: { authorization: `Bearer ${test_key}`, "content-type": "application/json" },
      body: JSON.stringify({ to: "+15005550000", from: "+15005550100", body: "Hello" }),
    });
    assert.equal(sent.status, 201, await sent.text());
    const owners = await outside.query(
      "two",
      "select distinct tableowner from pg_tables where schemaname = 'public'",
    );
    assert.deepEqual(owners, [{ tableowner: "keeper" }]);
    const rights = await outside.query(
      "two",
      `select distinct has_table_privilege('clerk', t, 'insert') as adds,
              has_table_privilege('clerk', t, 'update') or has_table_privilege('clerk', t, 'delete') as rewrites
         from unnest('{ledger_entries,consent_ledger,events,audit_log}'::text[]) t`,
    );
    assert.deepEqual(rights, [{ adds: true, rewrites: false }]);
  });

  test("a secret key of another installation is refused", async (t) => {
    const folder = await temporaryFolder(t);
    const env = { PORT: "0", DATABASE_URL: outside.url("longwave"), LONGWAVE_DATA: folder };
    const program = startProgram(t, { env });
    assert.equal(await endOf(program), 1);
    assert.match(
      program.stderr().trimEnd().split("\n").at(-1) ?? "",
      /^The secret key is not the one/,
    );
  });

  test("a connection error is one line without the password", async () => {
    await outside.query(
      "postgres",
      "create database ascii encoding 'SQL_ASCII' lc_collate 'C' lc_ctype 'C' template template0",
    );
    await outside.query("postgres", `create role guest login password '${outside.password}'`);
    const asGuest = outside.url("longwave").replace(`${outside.user}:`, "guest:");
    const cases: readonly [string, Record<string, string>, RegExp][] = [
      [
        outside.url("longwave").replace(outside.password, "wrong"),
        {},
        /it refuses the user or the password/,
      ],
      [outside.url("nowhere"), {}, /it has no such database/],
      [outside.url("ascii"), {}, /stores text as SQL_ASCII/],
      [asGuest, {}, /lets this user create no tables/],
      [outside.url("longwave"), { LONGWAVE_PROCESSES: "8" }, /connections where \d+ are needed/],
    ];
    for (const [url, more, line] of cases) {
      const config = loadConfig({ DATABASE_URL: url, ...more });
      const said: string[] = [];
      const opened = openPostgres(config, {
        clock: systemClock(),
        progress: (text) => said.push(text),
      });
      await assert.rejects(opened, (error: Error) => {
        assert.equal(error.name, "StartFailure");
        assert.match(error.message, /^DATABASE_URL names a PostgreSQL that /);
        assert.match(error.message, line);
        assert.ok(![error.message, ...said].join("\n").includes(outside.password));
        return true;
      });
    }
  });

  test("a pooler works in session mode and is refused in transaction mode", async (t) => {
    const pooler = await findPgBouncer();
    if (pooler === null)
      return t.skip("pgbouncer is not installed; run: apt-get install pgbouncer");
    const modes = ["session", "transaction"] as const;
    const [session, transaction] = await Promise.all(
      modes.map((mode) => startPgBouncer(t, pooler, outside, mode)),
    );
    const refused = loadConfig({ DATABASE_URL: transaction?.url("longwave") });
    await assert.rejects(openPostgres(refused, { clock: systemClock(), progress: () => {} }), {
      name: "StartFailure",
      message: /shares sessions between clients: .* set the pooler to session mode/,
    });
    const program = startProgram(t, {
      env: {
        PORT: "0",
        LONGWAVE_DATA: await temporaryFolder(t),
        LONGWAVE_SECRET_KEY: KEY,
        DATABASE_URL: session?.url("longwave") ?? "",
      },
    });
    const url = (await program.says(READY))[1] as string;
    assert.equal((await fetch(`${url}/readyz`)).status, 200);
    const planning = await outside.query(
      "longwave",
      "select count(*)::int as sessions from pg_stat_activity where application_name = 'longwave'",
    );
    assert.ok(Number(planning[0]?.["sessions"]) > 0);
    program.child.kill("SIGTERM");
    assert.equal(await endOf(program), 0);
  });

  test("a dump loaded into another cluster starts behind the restore guard", async (t) => {
    if ("missing" in available) return;
    const dump = join(await temporaryFolder(t), "dump");
    await outside.run("pg_dump", ["-Fc", "-f", dump, "longwave"]);
    await outside.query("postgres", "create database loaded");
    await outside.run("pg_restore", ["-d", "loaded", dump]);
    const folder = await temporaryFolder(t);
    const program = startProgram(t, {
      env: {
        PORT: "0",
        LONGWAVE_DATA: folder,
        LONGWAVE_SECRET_KEY: KEY,
        DATABASE_URL: outside.url("loaded"),
      },
    });
    const url = (await program.says(/GET (http:\S+)\/operator\/v1\/hold and/))[1] as string;
    assert.match(program.stderr(), /On hold: .* it was restored from a dump/);
    const [held] = await outside.query(
      "loaded",
      "select held_reason is not null as is_held from database_identity",
    );
    assert.deepEqual(held, { is_held: true });
    const token = (await readFile(join(folder, "operator-token"), "utf8")).trim();
    const released = await fetch(`${url}/operator/v1/hold/release`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ discard_due_before: null }),
    });
    assert.equal(released.status, 200, await released.text());
    await program.says(READY);
    program.child.kill("SIGTERM");
    assert.equal(await endOf(program), 0);
    const original = loadConfig({ DATABASE_URL: outside.url("longwave") });
    const judged = await checkDatabaseIdentity(
      { connectionString: original.databaseUrl ?? "" },
      folder,
    );
    assert.equal(judged.held, null, "the original goes on");
  });
});
