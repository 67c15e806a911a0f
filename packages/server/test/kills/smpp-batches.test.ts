import test from "node:test";
import { batchUnderKills } from "./batch-under-kills.ts";

test("a kill of the worker of a batch over SMPP and 2 resets of its line: nobody twice, nobody lost", async (t) => {
  await batchUnderKills(t, {
    recipients: 500,
    kills: { worker: 1, line: 2 },
    seed: 3,
    isSmpp: true,
  });
});
