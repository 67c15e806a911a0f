import { earliestDue, type Lane, shardsDueNow } from "../../core/queue/lane.ts";
import { LANES } from "../../core/queue/lane-names.ts";
import { processDueRows } from "../outbound/index.ts";
import type { AutomationsDeps } from "./deps.ts";
import { resumeSome } from "./resume-requests.ts";
import type { RunRow } from "./run-row.ts";
import { claimRuns, resumeRequestsDue, runsDue } from "./sql.ts";
import { failStep, stepRuns } from "./step-runs.ts";

/** Bounds how long a single send of the same account waits for a chunk. */
const RUNS_PER_CHUNK_MAX = 200;

/** Executes due runs of automations and processes resume requests. */
export const runsLane: Lane<AutomationsDeps> = {
  name: LANES.runs,
  // A chunk that sends lasts until the carrier answers; the other loop continues meanwhile.
  loops: 2,
  async nextDueAt(deps) {
    const due = await Promise.all([
      earliestDue(deps, runsDue),
      earliestDue(deps, resumeRequestsDue),
    ]);
    const times = due.flatMap((at) => at ?? []);
    return times.length === 0 ? null : Math.min(...times);
  },
  async runDue(deps) {
    let done = 0;
    const resumeAt = await earliestDue(deps, resumeRequestsDue);
    if (resumeAt !== null && resumeAt <= deps.clock.now()) {
      for (const shard of await shardsDueNow(deps, resumeRequestsDue))
        done += await resumeSome(deps, shard);
    }
    for (const shard of await shardsDueNow(deps, runsDue)) done += await runChunk(deps, shard);
    return done;
  },
};

function runChunk(deps: AutomationsDeps, shard: number): Promise<number> {
  const now = deps.clock.now();
  return processDueRows<RunRow>(deps, RUNS_PER_CHUNK_MAX, {
    claim: (tx, rowsMax) => tx.query(claimRuns, [shard, new Date(now), rowsMax]),
    process: (tx, runs, slots) => stepRuns(deps, tx, shard, runs, slots, now),
    quarantine: (tx, run) => failStep(deps, tx, shard, run, now),
  });
}
