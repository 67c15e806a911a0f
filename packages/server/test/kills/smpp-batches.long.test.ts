import test from "node:test";
import { batchUnderKills } from "./batch-under-kills.ts";
import { batchUnderStops } from "./batch-under-stops.ts";

test("10,000 over SMPP: 20 kills of the worker, 20 resets, 4 kills of the API, 3 of PostgreSQL: nobody twice, nobody lost", async (t) => {
  const kills = { worker: 20, line: 20, api: 4, postgres: 3 };
  await batchUnderKills(t, { recipients: 10_000, kills, seed: 20_261_116, isSmpp: true });
});

test("10,000 over SMPP whose workers are stopped for a minute: nobody twice, nobody lost, nothing in the dark", async (t) => {
  await batchUnderStops(t, { recipients: 10_000, stops: [60, 60], seed: 20_261_116, isSmpp: true });
});

test("50 kills while receipts come in: none of 5,000 is lost, each text ends once and right", async (t) => {
  await batchUnderKills(t, { recipients: 5_000, kills: { worker: 50 }, seed: 8, isSmpp: true });
});
