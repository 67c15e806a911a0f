import test from "node:test";
import { batchUnderStops } from "./batch-under-stops.ts";

test("10 worker stops during a batch of 10,000, one for a minute: no duplicate, none lost", async (t) => {
  const stops = [12, 12, 12, 12, 60, 12, 12, 12, 30, 12];
  await batchUnderStops(t, { recipients: 10_000, stops, seed: 20_261_115 });
});
