import test from "node:test";
import { batchUnderStops } from "./batch-under-stops.ts";

const STOPS = [60, 60, 60, 60, 60];
const SEEDS = [20_261_116, 20_261_117, 20_261_118, 20_261_119];

// Who is stopped does nothing for a minute: four batches, each with processes and a database of its own, share the time.
test("four batches of 2,500 over SMPP whose workers are stopped 20 times for a minute: nobody twice, nobody lost, nothing in the dark", {
  concurrency: SEEDS.length,
}, async (t) => {
  const runs = SEEDS.map((seed) =>
    t.test(`seed ${seed}`, (one) =>
      batchUnderStops(one, { recipients: 2_500, stops: STOPS, seed, isSmpp: true }),
    ),
  );
  await Promise.all(runs);
});
