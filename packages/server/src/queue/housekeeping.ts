import type { Base } from "../base.ts";
import { maintainPartitions } from "../db/partitions.ts";
import { sweepIdempotencyKeys } from "../idempotency/index.ts";
import type { PeriodicTask } from "./periodic.ts";
import { sweepWorkers } from "./registration.ts";
import { sweepFailedJobs } from "./sql.ts";

const ROWS_PER_SWEEP_MAX = 5_000;
const SWEEPS_MAX = 1_000;
const FAILED_JOBS_KEEP_MS = 30 * 86_400_000;

export const partitionUpkeep: PeriodicTask = {
  name: "db.partitions",
  everySeconds: 6 * 3_600,
  missedPeriods: "upkeep",
  run: (deps) => maintainPartitions(deps),
};

/** Deletes what has expired, in chunks that hold nobody up. */
export const housekeeping: PeriodicTask = {
  name: "queue.housekeeping",
  everySeconds: 600,
  missedPeriods: "upkeep",
  async run(deps, signal) {
    for (let shard = 0; shard < deps.shards; shard += 1) {
      await sweep(signal, () => sweepIdempotencyKeys(deps, shard, ROWS_PER_SWEEP_MAX));
      await sweep(signal, () => sweepJobs(deps, shard));
    }
    await deps.db.query(sweepWorkers, []);
  },
};

async function sweepJobs(deps: Base, shard: number): Promise<number> {
  const before = new Date(deps.clock.now() - FAILED_JOBS_KEEP_MS);
  const rows = await deps.db.query(sweepFailedJobs, [shard, before, ROWS_PER_SWEEP_MAX]);
  return rows.length;
}

async function sweep(signal: AbortSignal, chunk: () => Promise<number>): Promise<void> {
  for (let sweeps = 0; sweeps < SWEEPS_MAX && !signal.aborted; sweeps += 1) {
    if ((await chunk()) < ROWS_PER_SWEEP_MAX) return;
  }
}
