import { isShifted } from "../platform/clock.ts";
import type { WorkerDeps } from "./deps.ts";
import type { BoundLane } from "./lane.ts";
import { countLiveWorkers } from "./live-workers.ts";

/** Due work that waits longer than this means that nobody keeps up. */
const BEHIND_SECONDS_MAX = 60;

export interface LaneHealth {
  readonly lane: string;
  /** How long the oldest work that nobody has in hand is overdue, in real time. */
  readonly secondsBehind: number;
}

export interface QueueHealth {
  readonly isHealthy: boolean;
  /** Work waits longer than it should. */
  readonly isBehind: boolean;
  readonly liveWorkers: number;
  readonly lanes: readonly LaneHealth[];
}

/** Whether due work is being done, by this process or any other. */
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
  // What the test clock jumped over has waited since the jump, and not for as far as it went.
  const realMs = isShifted(deps.clock) ? Math.min(overdueMs, deps.clock.sinceShiftMs()) : overdueMs;
  return { lane: lane.name, secondsBehind: Math.floor(realMs / 1_000) };
}
