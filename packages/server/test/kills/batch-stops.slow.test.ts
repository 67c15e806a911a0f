import test from "node:test";
import { batchUnderStops } from "./batch-under-stops.ts";

test("a worker stopped for 2 s during a batch of 2,000: no duplicate, none lost", async (t) => {
  await batchUnderStops(t, { recipients: 2_000, stops: [2], seed: 1 });
});
