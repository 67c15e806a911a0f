import test from "node:test";
import { batchUnderStops } from "./batch-under-stops.ts";

test("10,000 over SMPP whose workers are stopped for a minute: nobody twice, nobody lost, nothing in the dark", async (t) => {
  await batchUnderStops(t, { recipients: 10_000, stops: [60, 60], seed: 20_261_116, isSmpp: true });
});
