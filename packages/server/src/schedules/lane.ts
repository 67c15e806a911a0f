import { type HandoverDeps, handOverAll, txWithPlaces } from "../handover/index.ts";
import { earliestDue, shardsDueNow } from "../queue/due-shards.ts";
import type { Lane } from "../queue/lane.ts";
import { LANES } from "../queue/lane-names.ts";
import type { ScheduleRow } from "./schedule-row.ts";
import { claimSchedules, schedulesDue } from "./sql.ts";
import { takeTurns } from "./turn.ts";

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

async function runChunk(deps: HandoverDeps, shard: number): Promise<number> {
  const { count, handOvers } = await txWithPlaces(deps, async (tx, places) => {
    const now = deps.clock.now();
    const values = [shard, new Date(now), SCHEDULES_PER_CHUNK_MAX];
    const due = await tx.query<ScheduleRow>(claimSchedules, values);
    return { count: due.length, handOvers: await takeTurns(deps, tx, shard, due, places, now) };
  });
  await handOverAll(deps, handOvers);
  return count;
}
