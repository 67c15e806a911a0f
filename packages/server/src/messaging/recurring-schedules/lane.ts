import { dueRowsInHalves, type HandoverDeps } from "../handover/index.ts";
import { earliestDue, type Lane, shardsDueNow } from "../queue/lane.ts";
import { LANES } from "../queue/lane-names.ts";
import type { ScheduleRow } from "./schedule-row.ts";
import { claimSchedules, schedulesDue } from "./sql.ts";
import { failTurn, takeTurns } from "./turn.ts";

/** Small enough that a single send of the same account hardly waits for a chunk. */
const SCHEDULES_PER_CHUNK_MAX = 250;

/** Recurring schedules whose occurrence has come: every check of a single send, then its way. */
export const schedulesLane: Lane<HandoverDeps> = {
  name: LANES.schedules,
  nextDueAt: (deps) => earliestDue(deps, schedulesDue),
  async runDue(deps) {
    let done = 0;
    for (const shard of await shardsDueNow(deps, schedulesDue)) done += await runChunk(deps, shard);
    return done;
  },
};

function runChunk(deps: HandoverDeps, shard: number): Promise<number> {
  const now = deps.clock.now();
  return dueRowsInHalves<ScheduleRow>(deps, SCHEDULES_PER_CHUNK_MAX, {
    claim: (tx, rowsMax) => tx.query(claimSchedules, [shard, new Date(now), rowsMax]),
    dealWith: (tx, due, places) => takeTurns(deps, tx, shard, due, places, now),
    fail: (tx, schedule) => failTurn(deps, tx, shard, schedule, now),
  });
}
