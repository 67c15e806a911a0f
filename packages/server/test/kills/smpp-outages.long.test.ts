import test from "node:test";
import { batchUnderKills } from "./batch-under-kills.ts";

test("20 kills of the API and 20 of PostgreSQL during 10,000 messages over SMPP: no duplicate, none lost", async (t) => {
  const kills = { api: 20, postgres: 20 };
  await batchUnderKills(t, { recipients: 10_000, kills, seed: 20_261_117, isSmpp: true });
});
