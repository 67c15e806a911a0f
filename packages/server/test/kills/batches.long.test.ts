import test from "node:test";
import { batchUnderKills } from "./batch-under-kills.ts";

test("20 kills of the worker, 4 of the API, 3 of PostgreSQL during a batch of 10,000: no duplicate, none lost", async (t) => {
  const kills = { worker: 20, api: 4, postgres: 3 };
  await batchUnderKills(t, { recipients: 10_000, kills, seed: 20_261_115 });
});
