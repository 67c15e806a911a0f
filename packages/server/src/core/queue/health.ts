import { isShifted } from "../platform/clock.ts";
import type { WorkerDeps } from "./deps.ts";
import type { BoundLane } from "./lane.ts";
import { countLiveWorkers } from "./live-workers.ts";

/** Due work that waits longer than this makes the service unready. */
const BEHIND_SECONDS_MAX = 60;

export interface LaneHealth {
  readonly lane: string;
  /** Age of the oldest overdue work that no worker has claimed, in real time. */
  readonly secondsBehind: number;
}

export interface QueueHealth {
  readonly isHealthy: boolean;
  /** Some due work has waited longer than `BEHIND_SECONDS_MAX`. */
  readonly isBehind: boolean;
  readonly liveWorkers: number;
  readonly lanes: readonly LaneHealth[];
}

/** Whether due work makes progress, in this process or any other. */
export async function queueHealth(deps: WorkerDeps): Promise<QueueHealth> {
  const [[row], lanes] = await Promise.all([
    deps.db.query<{ workers: number }>(countLiveWorkers, []),
    Promise.all(deps.lanes.map((lane) => healthOf(deps, lane))),
  ]);
  const liveWorkers = row?.workers ?? 0;
  const isBehind = lanes.some((lane) => lane.secondsBehind > BEHIND_SECONDS_MAX);
  return { isHealthy: liveWorkers > 0 && !isBehind, isBehind, liveWorkers, lanes };
}

async function healthOf(deps: WorkerDeps, lane: BoundLane): Promise<LaneHealth> {
  const since = await lane.waitingSince();
  const overdueMs = since === null ? 0 : Math.max(0, deps.clock.now() - since);
  // After a jump of the test clock, overdue work has waited since the jump, not for the whole distance.
  const realMs = isShifted(deps.clock) ? Math.min(overdueMs, deps.clock.sinceShiftMs()) : overdueMs;
  return { lane: lane.name, secondsBehind: Math.floor(realMs / 1_000) };
}
