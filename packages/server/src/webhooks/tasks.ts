import { type Static, Type } from "typebox";
import type { AccountRow } from "../accounts/index.ts";
import type { Base } from "../base.ts";
import type { Queryable, Tx } from "../db/database.ts";
import { notify } from "../db/notifications.ts";
import type { Statement } from "../db/statement.ts";
import { oldestShownId } from "../events/index.ts";
import { LANES } from "../queue/lane-names.ts";
import type { PeriodicTask } from "../queue/periodic.ts";
import { defineTask, enqueue, type Task } from "../queue/task.ts";
import { forgetHeldJobs, resumeHeldJobs, sweepHeldJobs } from "./job-sql.ts";

const JOBS_PER_STEP_MAX = 1_000;
const STEPS_PER_RUN_MAX = 1_000;

const EndpointJobs = Type.Object({ shard: Type.Integer(), endpoint_id: Type.String() });

/** Work on all the held jobs of one endpoint, a step at a time, for when they are many. */
function heldJobsTask(name: string, step: Statement): Task<typeof EndpointJobs> {
  return defineTask({
    name,
    payload: EndpointJobs,
    retryDelaysSeconds: [1, 5, 30, 120, 600],
    timeoutMs: 60_000,
    async run(deps, payload, signal) {
      for (let steps = 0; steps < STEPS_PER_RUN_MAX; steps += 1) {
        if (signal.aborted) return { retry: "There was no time left." };
        const isLast = await takeStep(deps.db, step, payload);
        if (isLast) return "done";
      }
      return { retry: "There are more." };
    },
  });
}

export const resumeHeldTask = heldJobsTask("webhooks.resume", resumeHeldJobs);
export const forgetHeldTask = heldJobsTask("webhooks.forget", forgetHeldJobs);

/** Lets the retries of an endpoint run again. Overdue ones run at once. */
export async function resumeJobs(deps: Base, tx: Tx, account: AccountRow, endpointId: string) {
  await begin(deps, tx, account, endpointId, resumeHeldTask, resumeHeldJobs);
}

/** Drops what waits for an endpoint that is gone. */
export async function forgetJobs(deps: Base, tx: Tx, account: AccountRow, endpointId: string) {
  await begin(deps, tx, account, endpointId, forgetHeldTask, forgetHeldJobs);
}

/** The first step in the caller's transaction, which is nearly always all; the rest as a task. */
async function begin(
  deps: Base,
  tx: Tx,
  account: AccountRow,
  endpointId: string,
  task: Task<typeof EndpointJobs>,
  step: Statement,
): Promise<void> {
  const payload = { shard: account.shard, endpoint_id: endpointId };
  const isLast = await takeStep(tx, step, payload);
  if (isLast) return;
  const owner = { shard: account.shard, accountId: account.id };
  await enqueue(deps, tx, owner, task, payload, deps.clock.now());
}

/** Answers whether that was all of them. */
async function takeStep(
  db: Queryable,
  step: Statement,
  payload: Static<typeof EndpointJobs>,
): Promise<boolean> {
  const values = [payload.shard, payload.endpoint_id, JOBS_PER_STEP_MAX];
  const rows = await db.query(step, values);
  if (rows.length > 0) await notify(db, "longwave_work", LANES.webhooks);
  return rows.length < JOBS_PER_STEP_MAX;
}

/** Drops retries that were held for so long that their events are gone. */
export const sweepHeld: PeriodicTask = {
  name: "webhooks.sweep_held",
  everySeconds: 3_600,
  missedPeriods: "upkeep",
  async run(deps, signal) {
    const before = oldestShownId(deps.clock);
    for (let shard = 0; shard < deps.shards && !signal.aborted; shard += 1) {
      let gone = JOBS_PER_STEP_MAX;
      for (let steps = 0; steps < STEPS_PER_RUN_MAX && gone === JOBS_PER_STEP_MAX; steps += 1) {
        const values = [shard, before, JOBS_PER_STEP_MAX];
        gone = (await deps.db.query(sweepHeldJobs, values)).length;
      }
    }
  },
};
