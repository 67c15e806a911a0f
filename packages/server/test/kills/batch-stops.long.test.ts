import test from "node:test";
import { batchUnderStops } from "./batch-under-stops.ts";

test("10 stops of workers of a batch of 10,000, one of a minute: nobody twice, nobody lost", async (t) => {
  const stops = [12, 12, 12, 12, 60, 12, 12, 12, 30, 12];
  await batchUnderStops(t, { recipients: 10_000, stops, seed: 20_261_115 });
});
