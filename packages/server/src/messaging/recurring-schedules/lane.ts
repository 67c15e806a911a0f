import { earliestDue, type Lane, shardsDueNow } from "../../core/queue/lane.ts";
import { LANES } from "../../core/queue/lane-names.ts";
import { type OutboundDeps, processDueRows } from "../outbound/index.ts";
import { failOccurrence, sendOccurrences } from "./process-due.ts";
import type { ScheduleRow } from "./schedule-row.ts";
import { claimSchedules, schedulesDue } from "./sql.ts";

/** Bounds how long a single send of the same account waits for a chunk. */
const SCHEDULES_PER_CHUNK_MAX = 250;

/** Sends due occurrences of recurring schedules, with every check of a single send. */
export const schedulesLane: Lane<OutboundDeps> = {
  name: LANES.schedules,
  nextDueAt: (deps) => earliestDue(deps, schedulesDue),
  async runDue(deps) {
    let done = 0;
    for (const shard of await shardsDueNow(deps, schedulesDue)) done += await runChunk(deps, shard);
    return done;
  },
};

function runChunk(deps: OutboundDeps, shard: number): Promise<number> {
  const now = deps.clock.now();
  return processDueRows<ScheduleRow>(deps, SCHEDULES_PER_CHUNK_MAX, {
    claim: (tx, rowsMax) => tx.query(claimSchedules, [shard, new Date(now), rowsMax]),
    process: (tx, due, slots) => sendOccurrences(deps, tx, shard, due, slots, now),
    quarantine: (tx, schedule) => failOccurrence(deps, tx, shard, schedule, now),
  });
}
