import test from "node:test";
import { batchUnderStops } from "./batch-under-stops.ts";

const PLAN = { recipients: 2_500, stops: [60, 60, 60, 60, 60], isSmpp: true };
const SEEDS = [20_261_116, 20_261_117, 20_261_118, 20_261_119];

// Stopped processes are idle for a minute, so the batches run at once, each with its own processes and
// database.
test("25 worker stops of a minute during five batches of 2,500 over SMPP: no duplicate, none lost, no unknown outcome", {
  concurrency: SEEDS.length + 1,
}, async (t) => {
  const [first] = SEEDS as [number];
  const runs = [
    ...SEEDS.map((seed) =>
      t.test(`seed ${seed}`, (one) => batchUnderStops(one, { ...PLAN, seed })),
    ),
    t.test("stops back to back", (one) =>
      batchUnderStops(one, { ...PLAN, seed: first, areBackToBack: true }),
    ),
  ];
  await Promise.all(runs);
});
