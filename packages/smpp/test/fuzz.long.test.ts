import assert from "node:assert/strict";
import test from "node:test";
import { fuzz } from "../testing/fuzz.ts";

const ROUNDS = 100;
const PDUS_PER_ROUND = 100_000;
const GROWTH_BYTES_MAX = 64 * 1024 * 1024;
/** A round takes about a second; this limit only ends a hang. */
const ROUND_MS_MAX = 60_000;

test("ten million broken PDUs: no crash, no hang, no growth", (t) => {
  const seed = Number(process.env["FUZZ_SEED"] ?? 1);
  t.diagnostic(`seed ${seed}`);
  let heldAfterWarmUp = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const begun = performance.now();
    fuzz(seed + round, PDUS_PER_ROUND);
    assert.ok(performance.now() - begun < ROUND_MS_MAX, `round ${round} of seed ${seed} hung`);
    if (round === ROUNDS / 10) heldAfterWarmUp = process.memoryUsage().rss;
  }
  const grown = process.memoryUsage().rss - heldAfterWarmUp;
  t.diagnostic(`grown by ${Math.round(grown / 1024 / 1024)} MiB`);
  assert.ok(grown < GROWTH_BYTES_MAX, `grown by ${grown} bytes`);
});
