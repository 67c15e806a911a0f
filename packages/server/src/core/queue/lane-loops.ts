import { isUnavailable } from "../db/driver/failures.ts";
import { logOutage } from "../platform/outage-log.ts";
import type { WorkerDeps } from "./deps.ts";
import { type BoundLane, POLL_INTERVAL_MS, type WorkerIdentity } from "./lane.ts";

/** A chunk that takes longer than this wakes another loop, which checks for more work. */
const RAMP_UP_MS = 10;
const WOKEN = "woken";
const FAILURE_DELAYS_MS = [100, 500, 1_000, 2_000, 5_000] as const;

export interface LaneLoops {
  /** Signals that there may be work. */
  wake(): void;
  /** Finishes the chunks in progress, begins none, and resolves then. */
  stop(): Promise<void>;
}

/**
 * Drives one lane in one process. A single watcher asks when unclaimed work falls due and sleeps until then, at most
 * a second, which bounds the cost of a lost NOTIFY and of an expired lease. The watcher wakes a loop; a loop that is
 * busy for long wakes another. An idle lane costs one query a second, however many loops it has.
 */
export function startLaneLoops(
  deps: WorkerDeps,
  lane: BoundLane,
  worker: WorkerIdentity,
  outOfTime: AbortSignal,
): LaneLoops {
  const stopping = new AbortController();
  const idle: (() => void)[] = [];
  let interrupt = new AbortController();
  let mayHaveMissed = false;

  const wakeWatcher = () => {
    // A busy lane is woken thousands of times a second; an abort without a reason creates an error each time.
    if (!interrupt.signal.aborted) interrupt.abort(WOKEN);
  };
  const wakeLoop = () => idle.shift()?.();
  const untilWoken = () =>
    new Promise<void>((resolve) => {
      if (stopping.signal.aborted) return resolve();
      idle.push(resolve);
      if (mayHaveMissed) wakeWatcher();
    });

  /** Wakes a loop when work is due; returns the milliseconds until the next check. */
  const look = async (): Promise<number> => {
    mayHaveMissed = idle.length === 0;
    if (mayHaveMissed) return POLL_INTERVAL_MS;
    const dueAt = await lane.nextFreeAt();
    const waitMs = dueAt === null ? POLL_INTERVAL_MS : dueAt - deps.clock.now();
    if (waitMs > 0) return Math.min(POLL_INTERVAL_MS, waitMs);
    wakeLoop();
    return POLL_INTERVAL_MS;
  };

  const watch = async () => {
    let failures = 0;
    while (!stopping.signal.aborted) {
      interrupt = new AbortController();
      const { signal } = interrupt;
      let sleepMs: number;
      try {
        sleepMs = await look();
        failures = 0;
      } catch (error) {
        sleepMs = noteFailure(deps, lane, failures, error);
        failures += 1;
      }
      await deps.clock.sleep(sleepMs, signal);
    }
  };

  const loop = async () => {
    let failures = 0;
    for (;;) {
      await untilWoken();
      if (stopping.signal.aborted) return;
      try {
        if (await runDry()) mayHaveMissed = true;
        failures = 0;
      } catch (error) {
        await deps.clock.sleep(noteFailure(deps, lane, failures, error), stopping.signal);
        failures += 1;
      }
    }
  };

  /** Runs chunks until none is left; returns whether there was any. */
  const runDry = async (): Promise<boolean> => {
    for (let hasWorked = false; ; hasWorked = true) {
      const rampUp = setTimeout(wakeLoop, RAMP_UP_MS);
      const startedMs = deps.clock.monotonic();
      let done: number;
      try {
        done = await lane.runDue(worker, outOfTime);
      } finally {
        clearTimeout(rampUp);
      }
      await gather(startedMs);
      if (done === 0 || stopping.signal.aborted) return hasWorked;
    }
  };

  /** Waits before the next chunk, in lanes that do better with larger chunks. */
  const gather = async (startedMs: number): Promise<void> => {
    const restMs = (lane.chunkEveryMs ?? 0) - (deps.clock.monotonic() - startedMs);
    if (restMs > 0) await deps.clock.sleep(restMs, stopping.signal);
  };

  const running = Promise.all([watch(), ...Array.from({ length: lane.loops ?? 1 }, loop)]);
  return {
    wake: wakeWatcher,
    async stop() {
      stopping.abort();
      wakeWatcher();
      for (const wake of idle.splice(0)) wake();
      await running;
    },
  };
}

/** Logs a failure and returns the backoff in milliseconds. */
function noteFailure(deps: WorkerDeps, lane: BoundLane, failures: number, error: unknown): number {
  if (isUnavailable(error)) logOutage(deps.log, "lanes: database unavailable", error);
  else deps.log.warn({ err: error, lane: lane.name }, "lanes: chunk failed, retrying");
  return FAILURE_DELAYS_MS[Math.min(failures, FAILURE_DELAYS_MS.length - 1)] ?? 0;
}
