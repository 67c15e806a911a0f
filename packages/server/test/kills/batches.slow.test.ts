import test from "node:test";
import { batchUnderKills } from "./batch-under-kills.ts";

test("4 kills of the worker during a batch of 2,000: no duplicate, none lost", async (t) => {
  await batchUnderKills(t, { recipients: 2_000, kills: { worker: 4 }, seed: 1 });
});
