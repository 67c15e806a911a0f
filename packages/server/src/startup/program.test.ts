import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { chown, readFile, stat } from "node:fs/promises";
import { connect as connectSocket, createServer } from "node:net";
import { join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import {
  emptied,
  endOf,
  freePort,
  makeFolder,
  type Program,
  type ProgramOptions,
  processesIn,
  startProgram,
  temporaryFolder,
} from "../../testing/program.ts";
import { DENTIST } from "../../testing/sites/businesses.ts";
import { serveSite } from "../../testing/sites/serve.ts";

const READY = /^Longwave is ready at (http:\S+)$/m;
const SHORTLY_MS = 8_000;

/** Made once: most tests need a folder with a database, and not one of their own. */
let sharedFolder = "";
let removeSharedFolder = async () => {};

before(async () => {
  const made = await makeFolder();
  sharedFolder = made.folder;
  removeSharedFolder = made.remove;
});
after(() => removeSharedFolder());

/** Starts on any free port, unless told which. */
async function start(
  t: TestContext,
  folder: string,
  options: ProgramOptions = {},
): Promise<Program & { url: string }> {
  const env = { PORT: "0", LONGWAVE_DATA: folder, ...options.env };
  const program = startProgram(t, { ...options, env });
  const url = (await program.says(READY))[1] as string;
  return { ...program, url };
}

async function account(url: string, key: string): Promise<Response> {
  return fetch(`${url}/v1/account`, { headers: { authorization: `Bearer ${key}` } });
}

async function keptKey(folder: string): Promise<string> {
  const text = await readFile(join(folder, "first-run.json"), "utf8");
  return (JSON.parse(text) as { test_key: string }).test_key;
}

test("the program, as it is built, reads websites in its thread", async (t) => {
  const site = await serveSite(DENTIST);
  t.after(() => site.close());
  const { url } = await start(t, sharedFolder, { env: { LONGWAVE_ALLOW_TARGETS: site.target } });
  const answer = await fetch(`${url}/v1/registrations`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${await keptKey(sharedFolder)}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({
      business_name: DENTIST.name,
      website: site.url,
      use_case: "account_notification",
    }),
  });
  const body = (await answer.json()) as { check: { failed: number; passed: number } };
  assert.equal(answer.status, 201, JSON.stringify(body));
  assert.equal(body.check.failed, 0);
  assert.ok(body.check.passed > 30);
});

test("the first run shows a call that works as pasted, and keeps its key", async (t) => {
  const folder = await temporaryFolder(t);
  const program = await start(t, folder);
  const [, call] = await program.says(/^ {2}(curl [\s\S]+?)\n\n/m);
  const { stdout } = await promisify(execFile)("sh", ["-c", `${call} -s`]);
  const message = JSON.parse(stdout) as Record<string, unknown>;
  assert.equal(message["object"], "message", stdout);
  assert.equal(message["status"], "sent");

  const key = await keptKey(folder);
  assert.ok(program.stdout().includes(key));
  assert.ok(program.stdout().includes("+15005550100"));
  const number = await fetch(`${program.url}/v1/numbers/+15005550100`, {
    headers: { authorization: `Bearer ${key}` },
  });
  assert.equal(number.status, 200);
  assert.equal((await stat(join(folder, "first-run.json"))).mode & 0o777, 0o600);
  assert.equal((await stat(join(folder, "operator-token"))).mode & 0o777, 0o600);
  assert.equal((await stat(join(folder, "secret-key"))).mode & 0o777, 0o600);
  for (const step of [/Starting the embedded PostgreSQL/, /creating a new database/, /Migrating/]) {
    assert.match(program.stderr(), step);
  }

  program.child.kill("SIGTERM");
  assert.equal(await endOf(program), 0);
  assert.deepEqual(await processesIn(folder), []);

  const second = await start(t, folder);
  await second.says(/^ {2}Data +\S+\n/m);
  assert.ok(!second.stdout().includes(key), "the key is shown once");
  assert.ok(second.stdout().includes(join(folder, "first-run.json")));
  assert.equal((await account(second.url, key)).status, 200);
  second.child.kill("SIGINT");
  assert.equal(await endOf(second), 0);
});

test("everything killed at once comes back by itself, with its data", async (t) => {
  const folder = await temporaryFolder(t);
  const program = await start(t, folder);
  const key = await keptKey(folder);
  const postgres = await processesIn(folder);
  assert.ok(postgres.length > 0);
  program.child.kill("SIGKILL");
  for (const pid of postgres) process.kill(pid, "SIGKILL");
  assert.equal(await endOf(program), "SIGKILL");

  const second = await start(t, folder);
  assert.equal((await account(second.url, key)).status, 200);
  second.child.kill("SIGTERM");
  assert.equal(await endOf(second), 0);
  assert.deepEqual(await processesIn(folder), []);
});

test("a port that is taken is said in one line that names PORT, and leaves nothing", async (t) => {
  const folder = sharedFolder;
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  t.after(() => other.close());
  const { port } = other.address() as { port: number };
  for (const processes of ["1", "2"]) {
    const env = { PORT: `${port}`, LONGWAVE_DATA: folder, LONGWAVE_PROCESSES: processes };
    const program = startProgram(t, { env });
    assert.equal(await endOf(program), 1);
    const last = program.stderr().trimEnd().split("\n").at(-1);
    assert.equal(
      last,
      `PORT ${port} is taken on 127.0.0.1 by another program: stop that one, or set PORT to a free port.`,
    );
    assert.deepEqual(await processesIn(folder), []);
  }
});

test("a data folder in use is refused in one line, and its owner goes on", async (t) => {
  const folder = sharedFolder;
  const first = await start(t, folder);
  const second = startProgram(t, { env: { PORT: "0", LONGWAVE_DATA: folder } });
  assert.equal(await endOf(second), 1);
  const last = second.stderr().trimEnd().split("\n").at(-1) ?? "";
  assert.match(last, /^The data folder .+ is in use by another Longwave \(process \d+\)/);
  assert.equal((await fetch(`${first.url}/readyz`)).status, 200);
});

/** A request whose body has not come yet: work in hand. */
async function halfRequest(url: string, token: string) {
  const body = JSON.stringify({ name: "Sent slowly" });
  const socket = connectSocket(Number(new URL(url).port), "127.0.0.1");
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  socket.on("error", () => {});
  const closed = once(socket, "close");
  await once(socket, "connect");
  socket.write(
    `POST /operator/v1/accounts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
  );
  // The server has read this much once it answers another request on a later connection.
  await fetch(`${url}/readyz`);
  return {
    finish: () => socket.write(body.slice(5)),
    answer: () => closed.then(() => text),
  };
}

async function operatorToken(folder: string): Promise<string> {
  return (await readFile(join(folder, "operator-token"), "utf8")).trim();
}

for (const processes of ["1", "2"]) {
  test(`a stop finishes what is in hand (${processes} API processes)`, async (t) => {
    const folder = sharedFolder;
    const program = await start(t, folder, { env: { LONGWAVE_PROCESSES: processes } });
    const request = await halfRequest(program.url, await operatorToken(folder));
    // The whole group, as a terminal or npm does: every process hears it, some twice.
    process.kill(-(program.child.pid ?? 0), "SIGTERM");
    program.child.kill("SIGTERM");
    await program.says(/^Stopping …$/m);
    await assert.rejects(fetchSoon(`${program.url}/readyz`), "it takes no new connections");
    request.finish();
    const answer = await request.answer();
    assert.match(answer, /^HTTP\/1\.1 201 /);
    assert.match(answer, /connection: close/i);
    assert.equal(await endOf(program), 0);
    assert.deepEqual(await processesIn(folder), []);
  });
}

/** Asks until the server has stopped listening. */
async function fetchSoon(url: string): Promise<void> {
  for (let waited = 0; waited < SHORTLY_MS; waited += 50) {
    await fetch(url, { headers: { connection: "close" } });
    await sleep(50);
  }
}

test("a second signal ends it at once, and the data is safe", async (t) => {
  const folder = sharedFolder;
  const program = await start(t, folder);
  const key = await keptKey(folder);
  await halfRequest(program.url, await operatorToken(folder));
  program.child.kill("SIGTERM");
  await program.says(/^Stopping …$/m);
  await sleep(1_100);
  const toldAtMs = Date.now();
  program.child.kill("SIGTERM");
  assert.equal(await endOf(program), 1);
  assert.ok(Date.now() - toldAtMs < 3_000);
  await emptied(folder);
  const again = await start(t, folder);
  assert.equal((await account(again.url, key)).status, 200);
});

test("a fault that nobody caught is logged, ends the process, and leaves nothing", async (t) => {
  const folder = sharedFolder;
  for (const fault of ["Promise.reject(new Error('kaboom'))", "throw new Error('kaboom')"]) {
    const code = `process.on("SIGUSR2", () => { ${fault} });`;
    const nodeArgs = ["--import", `data:text/javascript,${encodeURIComponent(code)}`];
    const program = await start(t, folder, { nodeArgs });
    program.child.kill("SIGUSR2");
    assert.equal(await endOf(program), 1);
    assert.match(program.stderr(), /"level":60,.*kaboom/);
    await emptied(folder);
  }
});

test("API processes share a port; one that dies is replaced; none outlives the primary", async (t) => {
  const folder = sharedFolder;
  const port = await freePort();
  const env = { LONGWAVE_PROCESSES: "2", PORT: `${port}` };
  const program = await start(t, folder, { env });
  const before = await childrenOf(program);
  assert.equal(before.length, 2);
  process.kill(before[0] as number, "SIGKILL");
  await program.says(/an API process ended; starting another/);
  const after = await until(async () => {
    const now = await childrenOf(program);
    return now.length === 2 && !now.includes(before[0] as number) ? now : null;
  });
  assert.equal(new Set(after).size, 2);
  const key = await keptKey(folder);
  const statuses = await Promise.all(
    Array.from({ length: 20 }, async () => (await account(program.url, key)).status),
  );
  assert.deepEqual(new Set(statuses), new Set([200]));

  program.child.kill("SIGKILL");
  await endOf(program);
  await until(async () => (after.every((pid) => !isAlive(pid)) ? true : null));
  const again = await start(t, folder, { env });
  assert.equal((await account(again.url, key)).status, 200);
});

async function childrenOf(program: Program): Promise<number[]> {
  const path = `/proc/${program.child.pid}/task/${program.child.pid}/children`;
  const pids = (await readFile(path, "utf8")).trim().split(" ").map(Number);
  const commands = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")),
  );
  return pids.filter((_, index) => commands[index]?.includes("main."));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function until<T>(look: () => Promise<T | null>): Promise<T> {
  for (let waited = 0; waited < SHORTLY_MS; waited += 50) {
    const found = await look();
    if (found !== null) return found;
    await sleep(50);
  }
  throw new Error("It did not come to that.");
}

test("root and everybody else can run it", async (t) => {
  if (process.getuid?.() !== 0) return t.skip("only root can try another account");
  const nobody = { uid: 65_534, gid: 65_534 };
  const folder = await temporaryFolder(t);
  await chown(folder, nobody.uid, nobody.gid);
  const env = { PORT: "0", LONGWAVE_DATA: folder, HOME: folder };
  const program = startProgram(t, { env, account: nobody });
  const ready = await program.says(READY).catch((error: unknown) => {
    if (/EACCES|Cannot find/.test(program.stderr())) return null;
    throw error;
  });
  if (!ready) return t.skip("that account may not read the program here");
  assert.equal((await fetch(`${ready[1]}/readyz`)).status, 200);
  program.child.kill("SIGTERM");
  assert.equal(await endOf(program), 0);
  assert.deepEqual(await processesIn(folder), []);
});

test("a worker without the API opens no port", async (t) => {
  const folder = sharedFolder;
  const env = { PORT: "0", LONGWAVE_DATA: folder, LONGWAVE_ROLES: "worker" };
  const program = startProgram(t, { env });
  await program.says(/^Longwave is ready\. It works in the background only/m);
  program.child.kill("SIGTERM");
  assert.equal(await endOf(program), 0);
});

test("a wrong setting stops the start with one line that names it", async (t) => {
  const folder = await temporaryFolder(t);
  const program = startProgram(t, { env: { PORT: "http", LONGWAVE_DATA: folder } });
  assert.equal(await endOf(program), 1);
  assert.equal(program.stderr(), 'PORT is "http", but it takes a whole number from 0 to 65535.\n');
  assert.equal(program.stdout(), "");
});

test("a carriers file that cannot be read is said in one line", async (t) => {
  const env = {
    PORT: "0",
    LONGWAVE_DATA: sharedFolder,
    LONGWAVE_CARRIERS: "/nowhere/carriers.json",
  };
  const program = startProgram(t, { env });
  assert.equal(await endOf(program), 1);
  const last = program.stderr().trimEnd().split("\n").at(-1) ?? "";
  assert.match(last, /^LONGWAVE_CARRIERS: \/nowhere\/carriers\.json/);
  assert.deepEqual(await processesIn(sharedFolder), []);
});

test("check-config tells every setting and every mistake, and starts nothing", async (t) => {
  const env = { LONGWAVE_SECRET_KEY: "deadbeef", LONGWAVE_ROLES: "api,cook", LONGWAVE_RATE: "1" };
  const wrong = startProgram(t, { args: ["check-config"], env });
  assert.equal(await endOf(wrong), 1);
  assert.match(wrong.stderr(), /^LONGWAVE_ROLES is "api,cook", but it takes a comma list/m);
  assert.match(wrong.stderr(), /^LONGWAVE_SECRET_KEY is not usable, but it takes 64 hex digits/m);
  assert.match(wrong.stderr(), /^There is no setting LONGWAVE_RATE\.$/m);
  assert.ok(!wrong.stderr().includes("deadbeef"), "secrets are not repeated");

  const right = startProgram(t, { args: ["check-config"], env: { PORT: "8080" } });
  assert.equal(await endOf(right), 0);
  assert.match(right.stdout(), /^PORT=8080$/m);
  assert.match(right.stdout(), /^HOST=127\.0\.0\.1 {3}\(default\)$/m);
});

test("migrate brings the database up to date, and an unknown command shows the known ones", async (t) => {
  const folder = await temporaryFolder(t);
  const env = { LONGWAVE_DATA: folder };
  const first = startProgram(t, { args: ["migrate"], env });
  assert.equal(await endOf(first), 0);
  assert.match(first.stderr(), /Migrating the database: 0001_/);
  assert.match(first.stdout(), /^The database is up to date\.$/m);
  const second = startProgram(t, { args: ["migrate"], env });
  assert.equal(await endOf(second), 0);
  assert.doesNotMatch(second.stderr(), /Migrating/);
  assert.deepEqual(await processesIn(folder), []);

  const unknown = startProgram(t, { args: ["migrat"], env });
  assert.equal(await endOf(unknown), 2);
  assert.match(unknown.stderr(), /check-config/);
});
