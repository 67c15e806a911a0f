import test from "node:test";
import { batchUnderStops } from "./batch-under-stops.ts";

const PLAN = { recipients: 2_500, stops: [60, 60, 60, 60, 60], isSmpp: true };
const SEEDS = [20_261_116, 20_261_117, 20_261_118, 20_261_119];

// Who is stopped does nothing for a minute: the batches, each with processes and a database of its own, share the time.
test("five batches of 2,500 over SMPP whose workers are stopped 25 times for a minute: nobody twice, nobody lost, nothing in the dark", {
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
