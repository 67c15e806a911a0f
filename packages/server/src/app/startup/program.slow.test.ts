import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { chown, readFile } from "node:fs/promises";
import { connect as connectSocket, createServer } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import * as installation from "../../../testing/installation-checks.ts";
import { endOf, type Occasion, type Program, startProgram } from "../../../testing/program.ts";
import { DENTIST } from "../../../testing/sites/businesses.ts";
import { type ServedSite, serveSite } from "../../../testing/sites/serve.ts";
import {
  emptied,
  makeFolder,
  processesIn,
  temporaryFolder,
} from "../../../testing/temporary-folder.ts";

const READY = /^Longwave is ready at (http:\S+)$/m;
/** Deadline, not a promise of speed: only a hang takes this long. */
const SHORTLY_MS = 60_000;

/**
 * One data folder and one program for most tests, because a start takes seconds. Tests that only read share
 * it; a test that ends it takes it, and the next one starts another. Tests run in this order.
 */
let folder = "";
let site: ServedSite;
let standing: { readonly program: Started; readonly processes: number } | null = null;
const endings: (() => unknown)[] = [];
const wholeFile: Occasion = { after: (end) => void endings.push(end as () => unknown) };

type Started = Program & { readonly url: string };

/** Faults on demand, injected into the program. */
const FAULTS = `
  process.on("SIGUSR2", () => { Promise.reject(new Error("kaboom")); });
  process.on("SIGWINCH", () => { throw new Error("kaboom"); });`;

before(async () => {
  const made = await makeFolder();
  folder = made.folder;
  endings.push(made.remove);
  site = await serveSite(DENTIST);
  endings.push(() => site.close());
});
after(async () => {
  for (const end of endings.reverse()) await end();
});

/** The program on the folder; started if necessary. */
async function running(processes = 1): Promise<Started> {
  if (standing?.processes === processes) return standing.program;
  assert.equal(standing, null, "what stands has another number of processes");
  const env = {
    PORT: "0",
    LONGWAVE_DATA: folder,
    LONGWAVE_ALLOW_TARGETS: site.target,
    LONGWAVE_PROCESSES: `${processes}`,
  };
  const nodeArgs = ["--import", `data:text/javascript,${encodeURIComponent(FAULTS)}`];
  const begin = () => startProgram(wholeFile, { env, nodeArgs });
  const program = installation.withLaxUmask(begin);
  const url = (await program.says(READY))[1] as string;
  standing = { program: { ...program, url }, processes };
  return standing.program;
}

/** The program, for a test that ends it: the next test starts another. */
async function taken(processes = 1): Promise<Started> {
  const program = await running(processes);
  standing = null;
  return program;
}

async function account(url: string, key: string): Promise<Response> {
  return fetch(`${url}/v1/account`, { headers: { authorization: `Bearer ${key}` } });
}

async function keptKey(): Promise<string> {
  const text = await readFile(join(folder, "first-run.json"), "utf8");
  return (JSON.parse(text) as { test_key: string }).test_key;
}

async function operatorToken(): Promise<string> {
  return (await readFile(join(folder, "operator-token"), "utf8")).trim();
}

test("migrate creates the database and applies all migrations", async (t) => {
  const env = { LONGWAVE_DATA: folder };
  const first = installation.withLaxUmask(() => startProgram(t, { args: ["migrate"], env }));
  assert.equal(await endOf(first), 0);
  const said = first.stderr().trimEnd().split("\n");
  assert.equal(said.length, 3, first.stderr());
  const steps = [
    /Starting the embedded PostgreSQL/,
    /creating a new database/,
    /^Migrated: \d+ files in \d+\.\d s\.$/,
  ];
  for (const [index, step] of steps.entries()) assert.match(said[index] ?? "", step);
  assert.match(first.stdout(), /^The database is up to date\.$/m);
  const second = startProgram(t, { args: ["migrate"], env });
  assert.equal(await endOf(second), 0);
  assert.doesNotMatch(second.stderr(), /migrat/i);
  assert.deepEqual(await processesIn(folder), []);
});

test("the first run prints a call that works as pasted, and stores its key", async () => {
  const program = await running();
  const [, call] = await program.says(/^ {2}(curl [\s\S]+?)\n\n/m);
  const { stdout } = await promisify(execFile)("sh", ["-c", `${call} -s`]);
  const message = JSON.parse(stdout) as Record<string, unknown>;
  assert.equal(message["object"], "message", stdout);
  assert.equal(message["status"], "sent");

  const key = await keptKey();
  assert.ok(program.stdout().includes(key));
  assert.ok(program.stdout().includes("+15005550100"));
  const asKey = { headers: { authorization: `Bearer ${key}` } };
  const number = await fetch(`${program.url}/v1/numbers/+15005550100`, asKey);
  assert.equal(number.status, 200);
  const logged = await fetch(`${program.url}/v1/audit-logs`, asKey);
  const { data } = (await logged.json()) as { data: { action: string; actor: { name: string } }[] };
  const byFirstRun = data.filter(({ actor }) => actor.name === "first run");
  assert.deepEqual(
    byFirstRun.map(({ action }) => action),
    ["number.purchased", "api_key.created", "account.created"],
  );
  await installation.assertPrivate(folder, process.getuid?.() ?? 0);
  await program.says(/warm-up: done/);
});

test("the built program reads websites in its worker thread", async () => {
  const { url } = await running();
  const answer = await fetch(`${url}/v1/registrations`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${await keptKey()}`,
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

test("a data folder in use is refused in one line, and the running server continues", async (t) => {
  const first = await running();
  const second = startProgram(t, { env: { PORT: "0", LONGWAVE_DATA: folder } });
  assert.equal(await endOf(second), 1);
  const last = second.stderr().trimEnd().split("\n").at(-1) ?? "";
  assert.match(last, /^The data folder .+ is in use by another Longwave \(process \d+\)/);
  assert.equal((await fetch(`${first.url}/readyz`)).status, 200);
});

/** A request whose body is still missing: work in progress. */
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
    `POST /operator/v1/accounts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nExpect: 100-continue\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
  );
  // Each process answers 100 Continue once it has read this much.
  const interim = "HTTP/1.1 100 Continue\r\n\r\n";
  await until(async () => (text.startsWith(interim) ? true : null));
  return {
    finish: () => socket.write(body.slice(5)),
    answer: () => closed.then(() => text.slice(interim.length)),
  };
}

async function stopFinishesWhatIsInHand(program: Started): Promise<void> {
  const request = await halfRequest(program.url, await operatorToken());
  // Signals the whole group, as a terminal or npm does: some processes receive it twice.
  process.kill(-(program.child.pid ?? 0), "SIGTERM");
  program.child.kill("SIGTERM");
  await program.says(/^Stopping …$/m);
  await refusedSoon(program.url);
  request.finish();
  const answer = await request.answer();
  assert.match(answer, /^HTTP\/1\.1 201 /);
  assert.match(answer, /connection: close/i);
  assert.equal(await endOf(program), 0);
  assert.deepEqual(await processesIn(folder), []);
}

/**
 * Connects until the server has stopped listening. node:cluster forgets a connection that arrives while the last
 * process stops listening: it stays open, unanswered, until the primary exits. The next one is refused.
 */
async function refusedSoon(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  await until(async () => {
    const socket = connectSocket(Number(port), hostname);
    const code = await once(socket, "connect").then(
      () => null,
      (error: NodeJS.ErrnoException) => error.code,
    );
    socket.destroy();
    return code === "ECONNREFUSED" || null;
  });
}

test("a stop finishes requests in progress", async () => stopFinishesWhatIsInHand(await taken()));

test("a later start has the data and does not print the key again", async () => {
  const program = await running();
  const key = await keptKey();
  await program.says(/^ {2}Data +\S+\n/m);
  assert.ok(!program.stdout().includes(key), "the key is shown once");
  assert.ok(program.stdout().includes(join(folder, "first-run.json")));
  assert.equal((await account(program.url, key)).status, 200);
});

test("a second signal ends the program at once, and the data is safe", async () => {
  const program = await taken();
  const request = await halfRequest(program.url, await operatorToken());
  program.child.kill("SIGTERM");
  await program.says(/^Stopping …$/m);
  // Signals within a second count as one; a later one is the second.
  await until(async () => {
    program.child.kill("SIGTERM");
    return program.stderr().includes("Stopping at once.") || null;
  });
  assert.equal(await endOf(program), 1);
  assert.equal(await request.answer(), "", "it did not wait for what was in hand");
  await emptied(folder);
  const again = await running();
  assert.equal((await account(again.url, await keptKey())).status, 200);
});

test("an uncaught error is logged, ends the process, and leaves no process behind", async () => {
  for (const fault of ["SIGUSR2", "SIGWINCH"] as const) {
    const program = await taken();
    program.child.kill(fault);
    assert.equal(await endOf(program), 1);
    assert.match(program.stderr(), /"level":60,.*kaboom/);
    await emptied(folder);
  }
});

test("after SIGKILL of all processes a start recovers the data", async () => {
  const program = await taken();
  const postgres = await processesIn(folder);
  assert.ok(postgres.length > 0);
  program.child.kill("SIGKILL");
  for (const pid of postgres) process.kill(pid, "SIGKILL");
  assert.equal(await endOf(program), "SIGKILL");

  const second = await taken();
  assert.equal((await account(second.url, await keptKey())).status, 200);
  second.child.kill("SIGINT");
  assert.equal(await endOf(second), 0);
  assert.deepEqual(await processesIn(folder), []);
});

test("a port in use is one line that names PORT, and leaves no process behind", async (t) => {
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

test("API processes share a port, are replaced when they die, and exit with the primary", async () => {
  const program = await taken(2);
  const before = await childrenOf(program);
  assert.equal(before.length, 2);
  process.kill(before[0] as number, "SIGKILL");
  await program.says(/supervisor: API process ended, restarting/);
  const after = await until(async () => {
    const now = await childrenOf(program);
    return now.length === 2 && !now.includes(before[0] as number) ? now : null;
  });
  assert.equal(new Set(after).size, 2);
  const key = await keptKey();
  const statuses = await Promise.all(
    Array.from({ length: 20 }, async () => (await account(program.url, key)).status),
  );
  assert.deepEqual(new Set(statuses), new Set([200]));
  await installation.assertRevocationHolds(program.url, await operatorToken());

  program.child.kill("SIGKILL");
  await endOf(program);
  await until(async () => (after.every((pid) => !isAlive(pid)) ? true : null));
  const again = await running(2);
  assert.equal((await account(again.url, key)).status, 200);
});

test("a stop of several API processes finishes requests in progress", async () =>
  stopFinishesWhatIsInHand(await taken(2)));

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

test("root and other users can run the program", async (t) => {
  if (process.getuid?.() !== 0) return t.skip("only root can try another account");
  const nobody = { uid: 65_534, gid: 65_534 };
  const own = await temporaryFolder(t);
  await chown(own, nobody.uid, nobody.gid);
  const env = { PORT: "0", LONGWAVE_DATA: own, HOME: own };
  const program = installation.withLaxUmask(() => startProgram(t, { env, account: nobody }));
  const ready = await program.says(READY).catch((error: unknown) => {
    if (/EACCES|Cannot find/.test(program.stderr())) return null;
    throw error;
  });
  if (!ready) return t.skip("that account may not read the program here");
  assert.equal((await fetch(`${ready[1]}/readyz`)).status, 200);
  await installation.assertPrivate(own, nobody.uid);
  program.child.kill("SIGTERM");
  assert.equal(await endOf(program), 0);
  assert.deepEqual(await processesIn(own), []);
});

test("a worker without the API opens no port", async (t) => {
  const env = { PORT: "0", LONGWAVE_DATA: folder, LONGWAVE_ROLES: "worker" };
  const program = startProgram(t, { env });
  await program.says(/^Longwave is ready\. It works in the background only/m);
  program.child.kill("SIGTERM");
  assert.equal(await endOf(program), 0);
});

test("a wrong setting stops the start with one line that names it", async (t) => {
  const program = startProgram(t, { env: { PORT: "http", LONGWAVE_DATA: folder } });
  assert.equal(await endOf(program), 1);
  assert.equal(program.stderr(), 'PORT is "http", but it takes a whole number from 0 to 65535.\n');
  assert.equal(program.stdout(), "");
});

test("an unreadable carriers file is one line", async (t) => {
  const env = {
    PORT: "0",
    LONGWAVE_DATA: folder,
    LONGWAVE_CARRIERS: "/nowhere/carriers.json",
  };
  const program = startProgram(t, { env });
  assert.equal(await endOf(program), 1);
  const last = program.stderr().trimEnd().split("\n").at(-1) ?? "";
  assert.match(last, /^LONGWAVE_CARRIERS: \/nowhere\/carriers\.json/);
  assert.deepEqual(await processesIn(folder), []);
});
