import test from "node:test";
import { batchUnderKills } from "./batch-under-kills.ts";

test("2 kills of the worker of a batch over SMPP and 3 resets of its line: nobody twice, nobody lost", async (t) => {
  await batchUnderKills(t, {
    recipients: 1_000,
    kills: { worker: 2, line: 3 },
    seed: 3,
    isSmpp: true,
  });
});
