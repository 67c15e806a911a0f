import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Program } from "../../testing/program.ts";
import { until } from "../../testing/until.ts";
import { type Acknowledged, check, sendUntil } from "./kill-under-load.ts";
import { type KillStage, openStage } from "./stage.ts";

const CLIENTS = 12;
const PROCESSES = 3;
/** Longer than the silence after which peers write a stopped owner's items themselves. */
const STOPPED_MS = 2_500;

async function apiProcesses(program: Program): Promise<number[]> {
  const path = `/proc/${program.child.pid}/task/${program.child.pid}/children`;
  const pids = (await readFile(path, "utf8")).trim().split(" ").map(Number);
  return pids.filter((pid) => pid > 0);
}

async function startAll(stage: KillStage): Promise<Program> {
  const program = await stage.start();
  await until(async () => (await apiProcesses(program)).length === PROCESSES);
  return program;
}

test("API processes that are killed, stopped and restarted under load lose and double nothing", async (t) => {
  const env = { LONGWAVE_PROCESSES: String(PROCESSES) };
  const stage = await openStage(t, { window: 40, env });
  let program = await startAll(stage);
  const key = await stage.prepare();
  const acknowledged: Acknowledged[] = [];
  const statuses = new Map<number, number>();
  const done = new AbortController();
  const clients = Array.from({ length: CLIENTS }, (_, client) =>
    sendUntil(stage.url, key, client, acknowledged, done.signal, (status) =>
      statuses.set(status, (statuses.get(status) ?? 0) + 1),
    ),
  );
  const progress = async () => {
    const target = acknowledged.length + 3 * CLIENTS;
    await until(() => acknowledged.length >= target);
  };
  await progress();
  // One after another: one of them owns the account.
  for (const pid of await apiProcesses(program)) {
    process.kill(pid, "SIGKILL");
    await progress();
    await until(async () => {
      const pids = await apiProcesses(program);
      return pids.length === PROCESSES && !pids.includes(pid);
    });
    await progress();
  }
  for (const pid of await apiProcesses(program)) {
    process.kill(pid, "SIGSTOP");
    await sleep(STOPPED_MS);
    process.kill(pid, "SIGCONT");
    await progress();
  }
  program.child.kill("SIGTERM");
  await new Promise((resolve) => program.child.once("exit", resolve));
  program = await startAll(stage);
  await progress();
  done.abort();
  await Promise.all(clients);
  const unexpected = [...statuses.keys()].filter(
    (status) => ![201, 202, 409, 503].includes(status),
  );
  assert.deepEqual(unexpected, [], JSON.stringify([...statuses]));
  await check(stage, acknowledged);
});
