import assert from "node:assert/strict";

/** Processor time of one measurement, in milliseconds: enough to be more than noise. */
const MEASURED_MS_MIN = 5;
const TRIES = 5;
const TIMES_LONGER = 4;
/** Linear work takes 4 times as long on 4 times the input, quadratic work 16 times. */
const GROWTH_MAX = 9;

/**
 * Asserts that work grows with its input, not with the square of it: compares the processor time of n and 4n.
 * Independent of how fast the machine is.
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

/** Milliseconds of the processor for one run: the least of a few measurements. */
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
