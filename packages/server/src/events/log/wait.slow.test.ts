import assert from "node:assert/strict";
import { test } from "node:test";
import { emit } from "../../../testing/hook-receiver.ts";
import { type Kit, startKit } from "../../../testing/kit.ts";
import { secondAccount } from "../../../testing/live.ts";
import { openLongPoll } from "../../../testing/long-poll.ts";
import { until } from "../../../testing/until.ts";

const waitFor = async (kit: Kit, query: string) =>
  (await kit.request("GET", `/v1/events/wait${query}`)).body;
const startOf = async (kit: Kit): Promise<string> => (await waitFor(kit, "")).cursor;

test("a thousand waiting clients cost almost nothing and all wake at once", async (t) => {
  const kit = await startKit(t);
  const others = await Promise.all(Array.from({ length: 10 }, () => secondAccount(kit)));
  const held = await Promise.all(
    others.map(async (other) => {
      const cursor = await startOf(other);
      return Array.from({ length: 100 }, () => openLongPoll(other, cursor, 25));
    }),
  );
  await until(() => kit.deps.eventWaits.waitingCount === 1_000, 30_000);
  const cursor = await startOf(kit);
  const cpu = process.cpuUsage();
  // One more client, released after two seconds of waiting, measures the rest.
  assert.deepEqual((await waitFor(kit, `?cursor=${cursor}&timeout=2`)).data, []);
  const used = process.cpuUsage(cpu);
  const idleMs = (used.user + used.system) / 1_000;
  assert.ok(idleMs < 500, `${idleMs} ms of processor for two seconds of waiting`);
  for (const other of others) await emit(other);
  const answers = await Promise.all(held.flat().map((one) => one.answer));
  assert.ok(answers.every((answer) => answer.data.length === 1));
  assert.equal(kit.deps.eventWaits.waitingCount, 0);
});
