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
import { leftBehind } from "./unsettled-report.ts";

/** Another takes over within this time. */
const TAKEOVER_MS_MAX = 30_000;
/** The database ends the transaction of one that is silent for 10 s. */
const LOCKS_LIVE_SECONDS = 12;
const SENT_MS_MAX = 180_000;
/** Longer than the last retry of a carrier that always refuses. */
const SETTLED_SECONDS = 4 * 3_600;

export interface StopPlan {
  readonly recipients: number;
  /** How long each stop lasts, in seconds. */
  readonly stops: readonly number[];
  readonly seed: number;
  /** Each stop but the first follows at once: who goes on is stopped again before it has read what came. */
  readonly areBackToBack?: boolean;
  /** Over SMPP, to an SMSC of the test's own, instead of the simulator. */
  readonly isSmpp?: boolean;
}

/**
 * A live batch whose two workers are stopped (SIGSTOP) in turn, at moments that the seed spreads
 * over it, and go on later (SIGCONT) with whatever they had in hand. Whoever was stopped for longer
 * than its locks live may write nothing of it: nobody is texted twice, nobody is forgotten, and
 * nothing is left in the dark, because nobody died.
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
      (await stage.rows("select waiting + handed as left from batches"))[0]?.left === 0;
    await until(hasLeft, SENT_MS_MAX).catch(async (error: unknown) => {
      throw new Error(await leftBehind(stage, workers), { cause: error });
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
 * Stops one worker and, once the other has gone on without it, that one too: so the batch lasts, and
 * both come back to what they held. A stop too short for a takeover is of the first alone.
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
    const left = (await stage.submits()).length;
    // One window may have been on its way when it was stopped; what comes after is the other's.
    await until(async () => (await stage.submits()).length > left + WINDOW, TAKEOVER_MS_MAX);
    second.child.kill("SIGSTOP");
  }
  await sleep(Math.max(0, endsAt - performance.now()));
  for (const worker of [first, second]) worker.child.kill("SIGCONT");
}

/** Moments in the first half, so that there is something left to go on with. */
function momentsOf(plan: StopPlan): { seconds: number; atShare: number }[] {
  const { stops, seed, areBackToBack = false } = plan;
  const share = fc.noBias(fc.integer({ min: 1, max: 500 })).map((n) => n / 1_000);
  const shares = fc.sample(share, { seed, numRuns: stops.length }).sort((a, b) => a - b);
  const shareOf = (index: number) => shares[areBackToBack ? 0 : index] as number;
  return stops.map((seconds, index) => ({ seconds, atShare: shareOf(index) }));
}
