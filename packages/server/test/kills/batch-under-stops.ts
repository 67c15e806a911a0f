import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { phones } from "../../testing/batches.ts";
import type { Program } from "../../testing/program.ts";
import { until } from "../../testing/until.ts";
import {
  check,
  checkReceipts,
  create,
  readUntil,
  SPECIAL,
  settle,
  startProcesses,
  untilJournal,
  WINDOW,
} from "./batch-under-kills.ts";
import { openSmppStage } from "./smpp-stage.ts";
import { type KillStage, openStage } from "./stage.ts";
import { describeUnsettled } from "./unsettled-report.ts";

/** Maximum time until the other worker takes over. */
const TAKEOVER_MS_MAX = 30_000;
/** The database ends transactions that are silent for 10 s. */
const LOCKS_LIVE_SECONDS = 12;
const SENT_MS_MAX = 180_000;
/** Longer than the last retry after temporary refusals. */
const SETTLED_SECONDS = 4 * 3_600;

export interface StopPlan {
  readonly recipients: number;
  /** Duration of each stop, in seconds. */
  readonly stops: readonly number[];
  readonly seed: number;
  /** Later stops follow immediately: a continued worker is stopped again before it reads its input. */
  readonly areBackToBack?: boolean;
  /** Sends over SMPP to the test's SMSC instead of the simulator. */
  readonly isSmpp?: boolean;
}

/**
 * Sends a live batch while its two workers are stopped (SIGSTOP) alternately at seeded moments and continue later
 * (SIGCONT) with their state. A worker stopped for longer than its locks live may not write: no duplicate,
 * none lost, and no unknown outcome, because no process died.
 */
export async function batchUnderStops(t: TestContext, plan: StopPlan): Promise<void> {
  const env = { LONGWAVE_TEST_CLOCK: "1" };
  const options = { window: WINDOW, env };
  const smpp = plan.isSmpp ? await openSmppStage(t, options) : null;
  const stage = smpp ?? (await openStage(t, options));
  const processes = await startProcesses(stage);
  const key = await stage.prepare();
  const to = [...SPECIAL, ...phones(plan.recipients - SPECIAL.length)];
  const id = await create(stage, processes, key, to, false);
  const workers = await Promise.all(
    [1, 2].map(() => stage.start({ LONGWAVE_ROLES: "worker", PORT: "0", LOG_LEVEL: "warn" })),
  );
  const done = new AbortController();
  const reading = readUntil(stage, key, id, done.signal);
  try {
    for (const [index, { seconds, atShare }] of momentsOf(plan).entries()) {
      await untilJournal(stage, atShare * plan.recipients);
      const [first, second] = index % 2 === 0 ? workers : [...workers].reverse();
      await stopFor(stage, seconds, first as Program, second as Program);
    }
    const hasLeft = async () =>
      (await stage.rows("select waiting + handed as submitted from batches"))[0]?.submitted === 0;
    await until(hasLeft, SENT_MS_MAX).catch(async (error: unknown) => {
      throw new Error(await describeUnsettled(stage, workers), { cause: error });
    });
  } finally {
    for (const worker of workers) worker.child.kill("SIGCONT");
    done.abort();
  }
  const reads = await reading;
  if (smpp) await until(() => smpp.smsc.undelivered === 0, SENT_MS_MAX);
  await settle(stage, SETTLED_SECONDS);
  await check(stage, key, id, to, 0);
  if (smpp) await checkReceipts(smpp);
  for (const worker of workers) assert.equal(worker.child.exitCode, null, "a worker ended");
  t.diagnostic(`${plan.stops.length} stops, ${reads} reads, seed ${plan.seed}`);
}

/**
 * Stops one worker and, once the other has taken over, that one as well, so that both continue with outdated
 * state. A stop too short for a takeover affects the first worker only.
 */
async function stopFor(
  stage: KillStage,
  seconds: number,
  first: Program,
  second: Program,
): Promise<void> {
  first.child.kill("SIGSTOP");
  const endsAt = performance.now() + seconds * 1_000;
  if (seconds >= LOCKS_LIVE_SECONDS) {
    const submitted = (await stage.submits()).length;
    // One window may have been outstanding at the stop; later submits are the other worker's.
    await until(async () => (await stage.submits()).length > submitted + WINDOW, TAKEOVER_MS_MAX);
    second.child.kill("SIGSTOP");
  }
  await sleep(Math.max(0, endsAt - performance.now()));
  for (const worker of [first, second]) worker.child.kill("SIGCONT");
}

/** Moments in the first half of the batch, so that work remains. */
function momentsOf(plan: StopPlan): { seconds: number; atShare: number }[] {
  const { stops, seed, areBackToBack = false } = plan;
  const share = fc.noBias(fc.integer({ min: 1, max: 500 })).map((n) => n / 1_000);
  const shares = fc.sample(share, { seed, numRuns: stops.length }).sort((a, b) => a - b);
  const shareOf = (index: number) => shares[areBackToBack ? 0 : index] as number;
  return stops.map((seconds, index) => ({ seconds, atShare: shareOf(index) }));
}
