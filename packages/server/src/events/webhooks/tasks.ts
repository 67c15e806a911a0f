import { type Static, Type } from "typebox";
import type { AccountRow } from "../../account/accounts/index.ts";
import type { Base } from "../../core/base.ts";
import type { Queryable, Tx } from "../../core/db/driver/database.ts";
import { notify } from "../../core/db/driver/notifications.ts";
import { LANES } from "../../core/queue/lane-names.ts";
import type { PeriodicTask } from "../../core/queue/periodic.ts";
import { defineTask, enqueue } from "../../core/queue/task.ts";
import { oldestShownId } from "../log/index.ts";
import { sweepPausedJobs, unpauseJobs } from "./job-sql.ts";

const JOBS_PER_STEP_MAX = 1_000;
const STEPS_PER_RUN_MAX = 1_000;

const EndpointJobs = Type.Object({ shard: Type.Integer(), endpoint_id: Type.String() });

export const endPauseTask = defineTask({
  name: "webhooks.end_pause",
  payload: EndpointJobs,
  retryDelaysSeconds: [1, 5, 30, 120, 600],
  timeoutMs: 60_000,
  async run(deps, payload, signal) {
    for (let steps = 0; steps < STEPS_PER_RUN_MAX; steps += 1) {
      if (signal.aborted) return { retry: "There was no time left." };
      if (await unpauseStep(deps.db, payload)) return "done";
    }
    return { retry: "There are more." };
  },
});

/**
 * Makes the paused jobs of an endpoint ready, because it is active again or deleted. The caller's transaction takes the
 * first step, which is nearly always enough; a task does the rest.
 */
export async function endPause(
  deps: Base,
  tx: Tx,
  account: AccountRow,
  endpointId: string,
): Promise<void> {
  const payload = { shard: account.shard, endpoint_id: endpointId };
  if (await unpauseStep(tx, payload)) return;
  const owner = { shard: account.shard, accountId: account.id };
  await enqueue(deps, tx, owner, endPauseTask, payload, deps.clock.now());
}

/** Returns whether it was the last step. */
async function unpauseStep(db: Queryable, payload: Static<typeof EndpointJobs>): Promise<boolean> {
  const values = [payload.shard, payload.endpoint_id, JOBS_PER_STEP_MAX];
  const rows = await db.query(unpauseJobs, values);
  if (rows.length > 0) await notify(db, "longwave_work", LANES.webhooks);
  return rows.length < JOBS_PER_STEP_MAX;
}

/** Deletes jobs that stayed paused until their events passed their retention. */
export const sweepPaused: PeriodicTask = {
  name: "webhooks.sweep_paused",
  everySeconds: 3_600,
  missedPeriods: "upkeep",
  async run(deps, signal) {
    const before = oldestShownId(deps.clock);
    for (let shard = 0; shard < deps.shards && !signal.aborted; shard += 1) {
      let gone = JOBS_PER_STEP_MAX;
      for (let steps = 0; steps < STEPS_PER_RUN_MAX && gone === JOBS_PER_STEP_MAX; steps += 1) {
        const values = [shard, before, JOBS_PER_STEP_MAX];
        gone = (await deps.db.query(sweepPausedJobs, values)).length;
      }
    }
  },
};
