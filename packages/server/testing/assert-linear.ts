import assert from "node:assert/strict";

/** Minimum processor time of one measurement, in milliseconds, above the noise. */
const MEASURED_MS_MIN = 5;
const TRIES = 5;
const TIMES_LONGER = 4;
/** Maximum growth for 4 times the input: linear work grows 4 times, quadratic work 16 times. */
const GROWTH_MAX = 9;

/**
 * Asserts that work grows linearly with its input, not quadratically: compares the processor time of n and
 * 4n. Independent of the machine's speed.
 */
export function assertLinear<T>(
  what: string,
  inputOf: (n: number) => T,
  work: (input: T) => void,
  n: number,
): void {
  const once = costOf(inputOf(n), work);
  const longer = costOf(inputOf(n * TIMES_LONGER), work);
  const growth = longer / once;
  assert.ok(
    growth < GROWTH_MAX,
    `${what}: ${TIMES_LONGER} times the input takes ${growth.toFixed(1)} times as long`,
  );
}

/** Processor time of one run in milliseconds: the minimum of a few measurements. */
function costOf<T>(input: T, work: (input: T) => void): number {
  let runs = 1;
  let least = Number.POSITIVE_INFINITY;
  for (let measured = 0; measured < TRIES; ) {
    const before = process.cpuUsage();
    for (let run = 0; run < runs; run += 1) work(input);
    const { user, system } = process.cpuUsage(before);
    const spentMs = (user + system) / 1_000;
    if (spentMs < MEASURED_MS_MIN) runs *= 2;
    else {
      least = Math.min(least, spentMs / runs);
      measured += 1;
    }
  }
  return least;
}
