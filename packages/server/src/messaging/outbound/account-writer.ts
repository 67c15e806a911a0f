import type { Database, Tx } from "../../core/db/driver/database.ts";
import { isUnavailable } from "../../core/db/driver/failures.ts";
import { createGroup, type Group } from "../../core/db/driver/group.ts";

const ITEMS_PER_WRITE_MAX = 250;
const ITEMS_WAITING_MAX = 5_000;

/** Writes one group at a time per account, separately from the shared groups. */
export interface AccountWriter<Item, Result> {
  add(item: Item): Promise<Result>;
  drain(): Promise<void>;
}

export interface AccountWriterOptions<Item, Result> {
  readonly db: Database;
  rowOf(item: Item): { readonly shard: number; readonly account_id: string };
  write(tx: Tx, shard: number, items: readonly Item[]): Promise<readonly Result[]>;
}

interface OwnGroup<Item, Result> {
  readonly group: Group<Item, Result>;
  pending: number;
}

/**
 * Serves accounts whose own calls currently hold their account lock.
 *
 * In a shared group such an item would make the other accounts wait for that lock, and block the connection that
 * all groups share. Here it waits on a transaction connection, of which each account uses one.
 */
export function createAccountWriter<Item, Result>({
  db,
  rowOf,
  write,
}: AccountWriterOptions<Item, Result>): AccountWriter<Item, Result> {
  const groups = new Map<string, OwnGroup<Item, Result>>();
  const ownGroup = (shard: number): OwnGroup<Item, Result> => ({
    pending: 0,
    group: createGroup<Item, Result>({
      itemsPerWriteMax: ITEMS_PER_WRITE_MAX,
      itemsWaitingMax: ITEMS_WAITING_MAX,
      isItemFault: (error) => !isUnavailable(error),
      write: (items) => db.tx((tx) => write(tx, shard, items)),
    }),
  });
  return {
    async add(item) {
      const { shard, account_id: accountId } = rowOf(item);
      const own = groups.get(accountId) ?? ownGroup(shard);
      groups.set(accountId, own);
      own.pending += 1;
      try {
        return await own.group.add(item);
      } finally {
        own.pending -= 1;
        if (own.pending === 0) groups.delete(accountId);
      }
    },
    async drain() {
      await Promise.all([...groups.values()].map(({ group }) => group.drain()));
    },
  };
}
