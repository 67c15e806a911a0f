import type { Base } from "../../core/base.ts";
import type { Step } from "../../core/db/driver/database.ts";
import type { Group } from "../../core/db/driver/group.ts";
import { applySimulatedReceipts } from "../messages/index.ts";
import type { AccountQueue } from "./account-queue.ts";

/** Rows of due simulated receipts of one account that all say `delivered`. */
export interface DueReceipts {
  readonly shard: number;
  readonly accountId: string;
  readonly ids: readonly string[];
  readonly messages: number;
}

const CHUNKS_WAITING_MAX = 1_000;

/** Applies simulated receipts with group commit. */
export type DueReceiptsWriter = Group<DueReceipts, "applied">;

export function createDueReceiptsWriter(
  deps: Pick<Base, "db" | "clock" | "ids">,
  queue: AccountQueue,
): DueReceiptsWriter {
  /** Waits for the account's lock on a connection that no request uses. */
  const writeApart = async (chunk: DueReceipts) => {
    const step = applyStep(deps, chunk.shard, [chunk]);
    await deps.db.execPipelined([step], { profile: "lanes" });
    return "applied" as const;
  };
  const group = queue.attach<DueReceipts, "applied" | "locked">({
    name: "receipts",
    itemsWaitingMax: CHUNKS_WAITING_MAX,
    ownerOf: ({ shard, accountId }) => ({ shard, accountId }),
    weightOf: ({ messages }) => messages,
    writeApart,
    plan: (shard, chunks) => ({
      lock: [],
      write: applyStep(deps, shard, chunks),
      follow: [],
      resultsOf: ([row]) => {
        // Among several accounts, those that another transaction has locked are skipped.
        const { locked_accounts: locked } = row as { locked_accounts: readonly string[] | null };
        return chunks.map(({ accountId }) => (locked?.includes(accountId) ? "locked" : "applied"));
      },
    }),
    // Applied rows are gone, so a chunk may be written again.
    wire: {
      pack: (chunk) => chunk,
      unpack: (packed) => packed as DueReceipts,
      writeAgain: writeApart,
    },
  });
  return {
    async add(chunk) {
      return (await group.add(chunk)) === "applied" ? "applied" : writeApart(chunk);
    },
    drain: group.drain,
  };
}

/** Builds the step that applies these receipts. A row that another process applied meanwhile is gone. */
function applyStep(
  { clock, ids }: Pick<Base, "clock" | "ids">,
  shard: number,
  chunks: readonly DueReceipts[],
): Step {
  const now = clock.now();
  const messages = chunks.reduce((sum, chunk) => sum + chunk.messages, 0);
  const eventIds = Array.from({ length: messages }, () => ids.makeAt(now));
  const values = [
    shard,
    new Date(now),
    [...new Set(chunks.map(({ accountId }) => accountId))],
    chunks.flatMap((chunk) => chunk.ids),
    `{${eventIds.join(",")}}`,
  ];
  return { statement: applySimulatedReceipts.call, values };
}
