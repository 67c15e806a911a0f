import type { Base } from "../base.ts";
import { expect } from "../platform/assert.ts";
import { earliestDue, type Lane, type Lease, shardsDueNow } from "./lane.ts";
import { LANES } from "./lane-names.ts";
import { runJob } from "./run-job.ts";
import { claimJob, isSuspect, type JobRow, jobsDue, jobsWaiting } from "./sql.ts";
import type { AnyTask } from "./task.ts";

const LOOPS = 8;

/** Lane of the jobs table. A chunk is one job, so that a slow job delays no other. */
export function createJobsLane<D extends Base>(list: readonly AnyTask<D>[]): Lane<D> {
  const tasks = new Map(list.map((task) => [task.name, task]));
  if (tasks.size !== list.length) throw new Error("Two tasks have one name.");
  const names = [...tasks.keys()];
  /** Ids of workers that are running a suspect or may claim one. */
  const suspecting = new Set<string>();

  const claim = async (deps: Base, lease: Lease, mayBeSuspect: boolean): Promise<JobRow | null> => {
    for (const shard of await shardsDueNow(deps, jobsDue, [names])) {
      const now = new Date(deps.clock.now());
      const values = [shard, now, names, lease.by, lease.epoch, mayBeSuspect];
      const [job] = await deps.db.query<JobRow>(claimJob, values);
      if (job) return job;
    }
    return null;
  };

  return {
    name: LANES.jobs,
    loops: LOOPS,
    nextDueAt: (deps) => earliestDue(deps, jobsDue, [names]),
    waitingSince: (deps) => earliestDue(deps, jobsWaiting, [names]),
    async runDue(deps, worker, signal) {
      const lease = worker.newLease();
      // A process runs one suspect at a time: when the process dies, one job is to blame.
      let mayBeSuspect = !suspecting.has(worker.id);
      if (mayBeSuspect) suspecting.add(worker.id);
      const stopSuspecting = () => {
        if (mayBeSuspect) suspecting.delete(worker.id);
        mayBeSuspect = false;
      };
      try {
        const job = await claim(deps, lease, mayBeSuspect);
        if (!job) return 0;
        if (!isSuspect(job)) stopSuspecting();
        const task = expect(tasks.get(job.task), `There is no task ${job.task}.`);
        await runJob(deps, task, job, lease, signal);
        return 1;
      } finally {
        stopSuspecting();
      }
    },
  };
}
