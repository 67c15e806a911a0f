import test from "node:test";
import { batchUnderKills } from "./batch-under-kills.ts";

test("20 kills of the worker and 20 connection resets during 10,000 messages over SMPP: no duplicate, none lost", async (t) => {
  const kills = { worker: 20, connection: 20 };
  await batchUnderKills(t, { recipients: 10_000, kills, seed: 20_261_116, isSmpp: true });
});
