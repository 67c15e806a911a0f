import type { Database, Tx } from "../db/database.ts";
import { isUnavailable } from "../db/failures.ts";
import { createGroup, type Group } from "../db/group.ts";
import type { Accepted, Composed } from "./stages.ts";

const ITEMS_PER_WRITE_MAX = 250;
const ITEMS_WAITING_MAX = 5_000;

/** Writes texts beside the groups that everybody's texts go in: of each account one group at a time. */
export interface WriterAside {
  add(text: Composed): Promise<Accepted>;
  drain(): Promise<void>;
}

interface OwnGroup {
  readonly group: Group<Composed, Accepted>;
  inHand: number;
}

/**
 * For texts of accounts whose own calls have them locked, one after the other. Whoever wrote such a text
 * together with others' would have those wait for that lock, and so would the connection that all groups
 * share: here it waits on a connection for transactions, of which an account takes one.
 */
export function createWriterAside(
  db: Database,
  write: (tx: Tx, shard: number, texts: readonly Composed[]) => Promise<Accepted[]>,
): WriterAside {
  const groups = new Map<string, OwnGroup>();
  const ownGroup = (shard: number): OwnGroup => ({
    inHand: 0,
    group: createGroup<Composed, Accepted>({
      itemsPerWriteMax: ITEMS_PER_WRITE_MAX,
      itemsWaitingMax: ITEMS_WAITING_MAX,
      isItemFault: (error) => !isUnavailable(error),
      write: (texts) => db.tx((tx) => write(tx, shard, texts)),
    }),
  });
  return {
    async add(text) {
      const { shard, account_id: accountId } = text.row;
      const own = groups.get(accountId) ?? ownGroup(shard);
      groups.set(accountId, own);
      own.inHand += 1;
      try {
        return await own.group.add(text);
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
