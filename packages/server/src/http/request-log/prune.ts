import { firstUuidAt } from "../../core/platform/ids.ts";
import type { PeriodicTask } from "../../core/queue/periodic.ts";
import { deleteOldRequests, findOldOwners } from "./sql.ts";

/** Retention of 7 days, as the console's page states. */
const RETENTION_MS = 7 * 86_400_000;
const OWNERS_PER_RUN_MAX = 10_000;
const ROWS_PER_DELETE_MAX = 1_000;
/** Pause after each delete, as a multiple of the delete's duration, to spare concurrent traffic. */
const PAUSE_FACTOR = 4;
const PAUSE_MS_MAX = 500;

interface Owner {
  readonly account_id: string;
  readonly mode: string;
}

/**
 * Deletes expired requests, account by account along the primary key. An index by age would find all of them at once,
 * but would cost every insert as much as the primary key does.
 */
export const pruneRequestLog: PeriodicTask = {
  name: "requests.forget",
  everySeconds: 3_600,
  missedPeriods: "upkeep",
  async run({ db, clock, shards }, signal) {
    const before = firstUuidAt(clock.now() - RETENTION_MS);
    for (let shard = 0; shard < shards; shard += 1) {
      const found = await db.query<Owner>(findOldOwners, [shard, before, OWNERS_PER_RUN_MAX]);
      for (const { account_id, mode } of found) {
        let gone = ROWS_PER_DELETE_MAX;
        while (gone === ROWS_PER_DELETE_MAX && !signal.aborted) {
          const startedAt = clock.monotonic();
          const values = [shard, account_id, mode, before, ROWS_PER_DELETE_MAX];
          gone = (await db.query(deleteOldRequests, values)).length;
          const tookMs = clock.monotonic() - startedAt;
          if (gone > 0) await clock.sleep(Math.min(PAUSE_MS_MAX, PAUSE_FACTOR * tookMs));
        }
      }
    }
  },
};
