import { keepPartitionsAtStart } from "../db/schema/partitions.ts";
import type { WorkerDeps } from "./deps.ts";
import { createWorkerIdentity } from "./lane.ts";
import { type LaneLoops, startLaneLoops } from "./lane-loops.ts";
import { registerWorker } from "./live-workers.ts";

/** Time that a stopping worker gives its chunks to finish, then to release their work after the abort. */
const STOP_LIMITS = { finishMsMax: 15_000, letGoMsMax: 4_000 };

export interface RunningWorker {
  /** Wakes a lane without waiting for the NOTIFY. */
  wake(lane: string): void;
  /** Begins no chunk, finishes those in progress, and returns in bounded time. */
  stop(): Promise<void>;
}

/** Makes this process a worker: it drives every lane of `deps.lanes` until stopped. */
export async function startWorker(deps: WorkerDeps, limits = STOP_LIMITS): Promise<RunningWorker> {
  await keepPartitionsAtStart(deps);
  const worker = createWorkerIdentity(deps.ids.make());
  const registration = await registerWorker(deps, worker.id);
  const outOfTime = new AbortController();
  const loops = new Map<string, LaneLoops>(
    deps.lanes.map((lane) => [lane.name, startLaneLoops(deps, lane, worker, outOfTime.signal)]),
  );
  const wake = (lane: string | null) => {
    if (lane !== null) loops.get(lane)?.wake();
    // Notifications may have been missed while the database was unavailable.
    else for (const each of loops.values()) each.wake();
  };
  const unsubscribes = [
    deps.notifications.subscribe("longwave_work", wake),
    deps.wakes.subscribe(wake),
  ];
  return {
    wake,
    async stop() {
      for (const unsubscribe of unsubscribes) unsubscribe();
      const stopped = Promise.all([...loops.values()].map((each) => each.stop()));
      const isStopped = await settlesWithin(deps, stopped, limits.finishMsMax);
      if (!isStopped) {
        outOfTime.abort();
        await settlesWithin(deps, stopped, limits.letGoMsMax);
      }
      await registration.unregister();
    },
  };
}

async function settlesWithin(
  deps: WorkerDeps,
  work: Promise<unknown>,
  ms: number,
): Promise<boolean> {
  const settled = new AbortController();
  const done = work.then(() => settled.abort());
  await Promise.race([done, deps.clock.sleep(ms, settled.signal)]);
  return settled.signal.aborted;
}
