import test from "node:test";
import { batchUnderKills } from "./batch-under-kills.ts";

test("4 kills of the worker of a batch of 2,000: nobody twice, nobody lost", async (t) => {
  await batchUnderKills(t, { recipients: 2_000, kills: { worker: 4 }, seed: 1 });
});
