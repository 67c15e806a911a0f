import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chown, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Server, USER } from "./postgres-servers.ts";
import type { startProgram } from "./program.ts";
import { until } from "./until.ts";

/**
 * Shared parts of restore drills, on the embedded PostgreSQL, an external one and several nodes:
 * docs/operations.md, docs/scale.md.
 */
const run = promisify(execFile);
export const READY = /^Longwave is ready at (http:\S+)$/m;
export const HELD = /^What would be sent: GET (http:\S+)\/operator\/v1\/hold and/m;
export const FROM = "+15005550100";
export const HOUR_MS = 3_600_000;

interface Answered {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers freely
  readonly body: any;
}

/** Client with the keys of the first run's account and operator. */
export interface DrillClient {
  ask(at: string, method: string, path: string, body?: object): Promise<Answered>;
  /** Sends a message and returns its id. */
  send(at: string, text: string): Promise<string>;
  sendLater(at: string): Promise<string>;
}

export async function drillClient(folder: string): Promise<DrillClient> {
  const { test_key } = JSON.parse(await readFile(join(folder, "first-run.json"), "utf8"));
  const token = (await readFile(join(folder, "operator-token"), "utf8")).trim();
  const ask: DrillClient["ask"] = async (at, method, path, body) => {
    const bearer = path.startsWith("/operator") ? token : test_key;
    const answer = await fetch(at + path, {
      method,
      headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: await answer.json() };
  };
  const post = async (at: string, text: string, more: object) => {
    const body = { to: "+15005550000", from: FROM, body: text, ...more };
    const sent = await ask(at, "POST", "/v1/messages", body);
    assert.equal(sent.status, 201, JSON.stringify(sent.body));
    return sent.body.id as string;
  };
  return {
    ask,
    send: (at, text) => post(at, text, {}),
    sendLater: (at) => post(at, "still to be sent", { scheduled_at: Date.now() + HOUR_MS }),
  };
}

/** Message ids by the time of sending. */
export interface Sent {
  readonly beforeBackup: string;
  /** After the base backup, and before the recovery target. */
  readonly inLog: string;
  readonly scheduled: string;
  readonly afterMoment: string;
}

/**
 * Asserts that a server on the restored database sends nothing until the operator releases it; returns its
 * URL.
 */
export async function assertBroughtBack(
  program: ReturnType<typeof startProgram>,
  { ask }: DrillClient,
  sent: Sent,
): Promise<string> {
  const at = (await program.says(HELD))[1] as string;
  assert.match(program.stderr(), /On hold: .*restored/);
  const statusOf = async (id: string) => (await ask(at, "GET", `/v1/messages/${id}`)).status;
  assert.equal(await statusOf(sent.beforeBackup), 200, "the message of the base backup exists");
  assert.equal(await statusOf(sent.inLog), 200, "the message of the archived log exists");
  assert.equal(
    await statusOf(sent.afterMoment),
    404,
    "the message after the recovery target does not exist",
  );
  const listed = await ask(at, "GET", "/operator/v1/hold/texts");
  assert.deepEqual(
    listed.body.data.map((one: { id: string }) => one.id),
    [sent.scheduled],
  );
  const body = { discard_due_before: null };
  const released = await ask(at, "POST", "/operator/v1/hold/release", body);
  assert.equal(released.status, 200, JSON.stringify(released.body));
  return (await program.says(READY))[1] as string;
}

export async function baseBackup(bin: string, { as, port }: Server, base: string): Promise<void> {
  const source = ["-h", as.cwd, "-p", String(port), "-U", USER];
  await run(join(bin, "pg_basebackup"), [...source, "-D", base, "-X", "stream", "-c", "fast"], as);
}

/** Starts a copy of a base backup, which replays the log up to its target and is then promoted. */
export async function bringBack({ as, data, start, query }: Server): Promise<void> {
  const signal = join(data, "recovery.signal");
  await writeFile(signal, "");
  if (as.uid !== undefined) await chown(signal, as.uid, as.gid ?? as.uid);
  await start();
  await until(async () => {
    const [row] = await query("postgres", "select pg_is_in_recovery() as waits");
    return row?.["waits"] === false;
  });
}
