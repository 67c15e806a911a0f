import { type Statement, statement } from "../db/statement.ts";
import type { PeriodicTask } from "../queue/periodic.ts";

const HOUR_MS = 3_600_000;
const ROWS_PER_SWEEP_MAX = 5_000;
const SWEEPS_MAX = 1_000;

function forgetFrom(table: string, age: string, only = "true"): Statement {
  return statement(
    `forget_${table}${only === "true" ? "" : "_early"}`,
    `delete from ${table} where shard = $1 and ctid = any(array(
       select ctid from ${table} where shard = $1 and ${age} < $2 and ${only} order by ${age} limit $3
          for update skip locked))
     returning 1 as forgotten`,
  );
}

/** How long after their time rows are of no use to anybody. */
const SWEPT: readonly { readonly forget: Statement; readonly keepMs: number }[] = [
  { forget: forgetFrom("verification_counters", "bucket"), keepMs: 2 * HOUR_MS },
  { forget: forgetFrom("verification_blocks", "blocked_until"), keepMs: 0 },
  // A phone's last verification is told of for a day after it ended.
  {
    forget: forgetFrom("verification_phones", "updated_at", "failures = 0"),
    keepMs: 48 * HOUR_MS,
  },
  // Wrong codes in a row are counted on for a month.
  { forget: forgetFrom("verification_phones", "updated_at"), keepMs: 720 * HOUR_MS },
  { forget: forgetFrom("verification_targets", "updated_at"), keepMs: HOUR_MS },
];

/** Forgets what verifications were counted by, once no rule asks for it any more. */
export const forgetVerifications: PeriodicTask = {
  name: "verify.forget",
  everySeconds: 3_600,
  missedPeriods: "upkeep",
  async run(deps, signal) {
    for (const { forget, keepMs } of SWEPT) {
      const before = new Date(deps.clock.now() - keepMs);
      for (let shard = 0; shard < deps.shards; shard += 1) {
        for (let sweeps = 0; sweeps < SWEEPS_MAX && !signal.aborted; sweeps += 1) {
          const rows = await deps.db.query(forget, [shard, before, ROWS_PER_SWEEP_MAX]);
          if (rows.length < ROWS_PER_SWEEP_MAX) break;
        }
      }
    }
  },
};
