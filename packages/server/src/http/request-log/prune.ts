import { firstUuidAt } from "../platform/ids.ts";
import type { PeriodicTask } from "../queue/periodic.ts";
import { findOldOwners, forgetRequests } from "./sql.ts";

/** What the console shows: as its page says. */
const KEPT_MS = 7 * 86_400_000;
const OWNERS_PER_RUN_MAX = 10_000;
const ROWS_PER_DELETE_MAX = 1_000;
/** After each delete it waits as many times as long as that took: nobody is to notice. */
const REST_FACTOR = 4;
const REST_MS_MAX = 500;

interface Owner {
  readonly account_id: string;
  readonly mode: string;
}

/**
 * Forgets what is past its time, account by account along the key. An index by age would let it go through
 * all of them at once, and cost every request that is written as much as the key does.
 */
export const forgetOldRequests: PeriodicTask = {
  name: "requests.forget",
  everySeconds: 3_600,
  missedPeriods: "upkeep",
  async run({ db, clock, shards }, signal) {
    const before = firstUuidAt(clock.now() - KEPT_MS);
    for (let shard = 0; shard < shards; shard += 1) {
      const found = await db.query<Owner>(findOldOwners, [shard, before, OWNERS_PER_RUN_MAX]);
      for (const { account_id, mode } of found) {
        let gone = ROWS_PER_DELETE_MAX;
        while (gone === ROWS_PER_DELETE_MAX && !signal.aborted) {
          const startedAt = clock.monotonic();
          const values = [shard, account_id, mode, before, ROWS_PER_DELETE_MAX];
          gone = (await db.query(forgetRequests, values)).length;
          const tookMs = clock.monotonic() - startedAt;
          if (gone > 0) await clock.sleep(Math.min(REST_MS_MAX, REST_FACTOR * tookMs));
        }
      }
    }
  },
};
