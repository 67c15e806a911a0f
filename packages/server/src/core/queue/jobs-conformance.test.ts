import { Type } from "typebox";
import { startKit } from "../../../testing/kit.ts";
import { testLane } from "../../../testing/lane-conformance.ts";
import { createJobsLane } from "./jobs-lane.ts";
import { defineTask, enqueue } from "./task.ts";

testLane("jobs", async (t) => {
  const done: string[] = [];
  const task = defineTask({
    name: "test.conforming",
    payload: Type.Object({ label: Type.String() }),
    retryDelaysSeconds: [],
    timeoutMs: 5_000,
    async run(_deps, { label }) {
      done.push(label);
      return "done";
    },
  });
  const lane = createJobsLane([task]);
  const kit = await startKit(t, { LONGWAVE_ROLES: "api" }, { lanes: [lane] });
  const { deps, account } = kit;
  const owner = { shard: account.shard, accountId: account.id };
  return {
    kit,
    lane,
    table: "jobs",
    itemsPerChunkMax: 1,
    add: (label, dueAtMs) => deps.db.tx((tx) => enqueue(deps, tx, owner, task, { label }, dueAtMs)),
    done: async () => done,
  };
});
