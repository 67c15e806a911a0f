import test from "node:test";
import { batchUnderKills } from "./batch-under-kills.ts";

test("10,000 over SMPP: 20 kills of the worker, 20 resets, 4 kills of the API, 3 of PostgreSQL: nobody twice, nobody lost", async (t) => {
  const kills = { worker: 20, line: 20, api: 4, postgres: 3 };
  await batchUnderKills(t, { recipients: 10_000, kills, seed: 20_261_116, isSmpp: true });
});
