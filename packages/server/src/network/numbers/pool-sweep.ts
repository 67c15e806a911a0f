import type { PeriodicTask } from "../../core/queue/periodic.ts";
import { deleteChoices, dropDeletedPool, findDeletedPools } from "./pool-sql.ts";

const CHOICES_PER_DELETE = 5_000;
const POOLS_PER_RUN_MAX = 1_000;

interface DeletedPool {
  readonly account_id: string;
  readonly id: string;
}

/** Deletes the choices of deleted pools, in chunks. */
export const clearDeletedPools: PeriodicTask = {
  name: "numbers.clear_deleted_pools",
  everySeconds: 3_600,
  async run(deps, signal) {
    for (let shard = 0; shard < deps.shards && !signal.aborted; shard += 1) {
      const pools = await deps.db.query<DeletedPool>(findDeletedPools, [shard, POOLS_PER_RUN_MAX]);
      for (const pool of pools) {
        const key = [shard, pool.account_id, pool.id];
        let gone = CHOICES_PER_DELETE;
        while (gone === CHOICES_PER_DELETE && !signal.aborted) {
          const rows = await deps.db.query(deleteChoices, [...key, CHOICES_PER_DELETE]);
          gone = rows.length;
        }
        if (gone < CHOICES_PER_DELETE) await deps.db.query(dropDeletedPool, key);
      }
    }
  },
};
