import type { PeriodicTask } from "../queue/periodic.ts";
import { forgetAutoReplies } from "./sql.ts";

const KEEP_MS = 2 * 3_600_000;
const ROWS_PER_SWEEP_MAX = 5_000;
const SWEEPS_MAX = 1_000;

/** Forgets who was answered when, once it no longer holds an answer back. */
export const forgetReplies: PeriodicTask = {
  name: "consent.forget_replies",
  everySeconds: 3_600,
  missedPeriods: "upkeep",
  async run(deps, signal) {
    const before = new Date(deps.clock.now() - KEEP_MS);
    for (let shard = 0; shard < deps.shards; shard += 1) {
      for (let sweeps = 0; sweeps < SWEEPS_MAX && !signal.aborted; sweeps += 1) {
        const values = [shard, before, ROWS_PER_SWEEP_MAX];
        if ((await deps.db.query(forgetAutoReplies, values)).length < ROWS_PER_SWEEP_MAX) break;
      }
    }
  },
};
