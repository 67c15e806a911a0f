import { keepPartitions } from "../db/schema/partitions.ts";
import { sweepExpired } from "../db/schema/retention.ts";
import { sweepWorkers } from "./live-workers.ts";
import type { PeriodicTask } from "./periodic.ts";

export const partitionUpkeep: PeriodicTask = {
  name: "db.partitions",
  everySeconds: 6 * 3_600,
  missedPeriods: "upkeep",
  run: (deps) => keepPartitions(deps),
};

/** Deletes rows past their retention, by the table in core/db/schema/retention.ts. */
export const retention: PeriodicTask = {
  name: "db.retention",
  everySeconds: 600,
  missedPeriods: "upkeep",
  async run(deps, signal) {
    await sweepExpired(deps, signal);
    await deps.db.query(sweepWorkers, []);
  },
};
