import test from "node:test";
import { batchUnderKills } from "./batch-under-kills.ts";

test("10,000 over SMPP: 20 kills of the worker and 20 resets of its line: nobody twice, nobody lost", async (t) => {
  const kills = { worker: 20, line: 20 };
  await batchUnderKills(t, { recipients: 10_000, kills, seed: 20_261_116, isSmpp: true });
});
