import assert from "node:assert/strict";
import { test } from "node:test";
import { startKit } from "../../../testing/kit.ts";
import { until } from "../../../testing/until.ts";
import type { Lane } from "./lane.ts";

/** A lane without a table: its work is a number in memory. */
function memoryLane(loops: number) {
  let items = 0;
  let looks = 0;
  let running = 0;
  let most = 0;
  let finish: (() => void)[] = [];
  const lane: Lane = {
    name: "memory",
    loops,
    nextDueAt: async () => {
      looks += 1;
      return items > 0 ? 0 : null;
    },
    async runDue() {
      if (items === 0) return 0;
      items -= 1;
      running += 1;
      most = Math.max(most, running);
      await new Promise<void>((resolve) => finish.push(resolve));
      running -= 1;
      return 1;
    },
  };
  return {
    lane,
    add: (count: number) => {
      items += count;
    },
    finishAll: () => {
      for (const each of finish) each();
      finish = [];
    },
    state: () => ({ items, looks, running, most }),
  };
}

test("an idle lane costs one query a second, however many loops it has", async (t) => {
  const memory = memoryLane(8);
  const kit = await startKit(t, {}, { lanes: [memory.lane] });
  await until(() => memory.state().looks > 0);
  const before = memory.state().looks;
  const startedAt = performance.now();
  await kit.deps.clock.sleep(3_000);
  const looks = memory.state().looks - before;
  // A sleep may last longer than requested.
  const seconds = (performance.now() - startedAt) / 1_000;
  assert.ok(looks <= seconds + 1, `${looks} questions in ${seconds} s`);
});
