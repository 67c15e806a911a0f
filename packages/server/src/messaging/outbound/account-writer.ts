import type { Database, Tx } from "../db/database.ts";
import { isUnavailable } from "../db/failures.ts";
import { createGroup, type Group } from "../db/group.ts";

const ITEMS_PER_WRITE_MAX = 250;
const ITEMS_WAITING_MAX = 5_000;

/** Writes beside the groups that everybody's texts go in: of each account one group at a time. */
export interface WriterAside<Item, Result> {
  add(item: Item): Promise<Result>;
  drain(): Promise<void>;
}

export interface AsideOptions<Item, Result> {
  readonly db: Database;
  rowOf(item: Item): { readonly shard: number; readonly account_id: string };
  write(tx: Tx, shard: number, items: readonly Item[]): Promise<readonly Result[]>;
}

interface OwnGroup<Item, Result> {
  readonly group: Group<Item, Result>;
  inHand: number;
}

/**
 * For texts of accounts whose own calls have them locked, one after the other. Whoever wrote such a text
 * together with others' would have those wait for that lock, and so would the connection that all groups
 * share: here it waits on a connection for transactions, of which an account takes one.
 */
export function createWriterAside<Item, Result>({
  db,
  rowOf,
  write,
}: AsideOptions<Item, Result>): WriterAside<Item, Result> {
  const groups = new Map<string, OwnGroup<Item, Result>>();
  const ownGroup = (shard: number): OwnGroup<Item, Result> => ({
    inHand: 0,
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
      own.inHand += 1;
      try {
        return await own.group.add(item);
      } finally {
        own.inHand -= 1;
        if (own.inHand === 0) groups.delete(accountId);
      }
    },
    async drain() {
      await Promise.all([...groups.values()].map(({ group }) => group.drain()));
    },
  };
}
