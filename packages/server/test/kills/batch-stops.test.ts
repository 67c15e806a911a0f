import test from "node:test";
import { batchUnderStops } from "./batch-under-stops.ts";

test("a worker of a batch of 2,000 is stopped for 2 s: nobody twice, nobody lost", async (t) => {
  await batchUnderStops(t, { recipients: 2_000, stops: [2], seed: 1 });
});
