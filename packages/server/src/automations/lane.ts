import { dueRowsInHalves } from "../handover/index.ts";
import { earliestDue, type Lane, shardsDueNow } from "../queue/lane.ts";
import { LANES } from "../queue/lane-names.ts";
import type { AutomationsDeps } from "./deps.ts";
import type { RunRow } from "./run-row.ts";
import { claimRuns, runsDue, wakesDue } from "./sql.ts";
import { failTurn, takeTurns } from "./turn.ts";
import { wakeSome } from "./wakes.ts";

/** Small enough that a single send of the same account hardly waits for a chunk. */
const RUNS_PER_CHUNK_MAX = 200;

/** Runs of automations whose turn has come, and those that somebody wants to have one. */
export const runsLane: Lane<AutomationsDeps> = {
  name: LANES.runs,
  // A turn that sends lasts until the carrier has answered; others go on meanwhile.
  loops: 2,
  async nextDueAt(deps) {
    const due = await Promise.all([earliestDue(deps, runsDue), earliestDue(deps, wakesDue)]);
    const known = due.flatMap((at) => at ?? []);
    return known.length === 0 ? null : Math.min(...known);
  },
  async runDue(deps) {
    let done = 0;
    const wakeAt = await earliestDue(deps, wakesDue);
    if (wakeAt !== null && wakeAt <= deps.clock.now()) {
      for (const shard of await shardsDueNow(deps, wakesDue)) done += await wakeSome(deps, shard);
    }
    for (const shard of await shardsDueNow(deps, runsDue)) done += await runChunk(deps, shard);
    return done;
  },
};

function runChunk(deps: AutomationsDeps, shard: number): Promise<number> {
  const now = deps.clock.now();
  return dueRowsInHalves<RunRow>(deps, RUNS_PER_CHUNK_MAX, {
    claim: (tx, rowsMax) => tx.query(claimRuns, [shard, new Date(now), rowsMax]),
    dealWith: (tx, runs, places) => takeTurns(deps, tx, shard, runs, places, now),
    fail: (tx, run) => failTurn(deps, tx, shard, run, now),
  });
}
