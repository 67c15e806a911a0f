import assert from "node:assert/strict";
import { test } from "node:test";
import { startKit } from "../../../testing/kit.ts";
import { until } from "../../../testing/until.ts";
import { queueHealth } from "./health.ts";
import { createJobsLane } from "./jobs-lane.ts";
import type { Lane } from "./lane.ts";
import { startWorker } from "./worker.ts";

const API_ONLY = { LONGWAVE_ROLES: "api" };

/** A lane that reports how long its work has waited, and never runs it. */
function stuckLane(since: { ms: number | null }): Lane {
  return { name: "stuck", runDue: async () => 0, nextDueAt: async () => since.ms };
}

test("the service is ready while a worker lives and keeps up", async (t) => {
  const kit = await startKit(t);
  const answer = await kit.request("GET", "/readyz", { key: null });
  assert.equal(answer.status, 200);
  assert.equal(answer.body.ready, true);
  const { workers, lanes } = answer.body.checks;
  assert.deepEqual(workers, { ok: true, live: 1 });
  const behind: number[] = Object.values(lanes.seconds_behind);
  assert.ok(behind.length > 0);
  for (const seconds of behind) assert.equal(seconds, 0);
});

test("without a worker the service is not ready, and with one again it is", async (t) => {
  const kit = await startKit(t, API_ONLY, { lanes: [createJobsLane([])] });
  const isReady = async () => (await kit.request("GET", "/readyz", { key: null })).status === 200;
  assert.equal(await isReady(), false);
  const worker = await startWorker({
    ...kit.deps,
    config: { ...kit.deps.config, roles: ["worker"] },
  });
  await until(isReady);
  await worker.stop();
  await until(async () => !(await isReady()));
});

test("a worker without a recent heartbeat counts as dead", async (t) => {
  const kit = await startKit(t, API_ONLY, { lanes: [] });
  await kit.rows(
    "insert into workers (id, host, pid, roles, started_at, seen_at) values ($1, 'gone', 1, '{worker}', now(), now() - interval '16 seconds')",
    [kit.deps.ids.make()],
  );
  assert.equal((await queueHealth(kit.deps)).isHealthy, false);
});

test("a lane more than a minute behind in real time makes it unready, a jump of the test clock does not", async (t) => {
  const since: { ms: number | null } = { ms: null };
  const kit = await startKit(t, {}, { lanes: [stuckLane(since)] });
  const healthy = async () => (await queueHealth(kit.deps)).isHealthy;
  assert.equal(await healthy(), true);
  since.ms = kit.deps.clock.now() - 59_000;
  assert.equal(await healthy(), true);
  since.ms = kit.deps.clock.now() - 62_000;
  assert.equal(await healthy(), false);
  since.ms = null;
  await kit.advance(3_600);
  since.ms = kit.deps.clock.now() - 62_000;
  assert.equal(await healthy(), true);
});
