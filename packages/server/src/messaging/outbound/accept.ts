import { FREE_TEXTS_PER_MONTH, type MessageBilling } from "@longwave/contract";
import type { Step, Tx } from "../../core/db/driver/database.ts";
import { isUnavailable } from "../../core/db/driver/failures.ts";
import { createGroup } from "../../core/db/driver/group.ts";
import { dayOf, monthOf } from "../../core/platform/clock.ts";
import type { QueueDeps } from "../../core/queue/deps.ts";
import {
  ACCEPT_COLUMNS,
  type Accepted,
  acceptMessages,
  type PreparedMessage,
  type Verdict,
  wakeWhenDue,
} from "../messages/index.ts";
import { createAccountWriter } from "./account-writer.ts";

/** Answer of `accept_messages_v1`; all null when every item is accepted and free of charge. */
export interface AcceptRow {
  readonly verdicts: readonly Verdict[] | null;
  readonly billings: readonly MessageBilling[] | null;
  /** As strings: the column is bigint[]. */
  readonly costs: readonly string[] | null;
}

const ACCEPTED_FREE: Accepted = { verdict: "accepted", costMicros: 0, billing: "none" };

const ITEMS_PER_WRITE_MAX = 1_000;
const ITEMS_WAITING_MAX = 5_000;
/** The database works on a second group while Node.js handles the answer of the first. */
const WRITES_IN_FLIGHT_MAX = 2;
const ITEMS_PER_FURTHER_WRITE_MIN = 16;

/** Stores messages with group commit: the hot path of the service. */
export interface MessageWriter {
  add(message: PreparedMessage): Promise<Accepted>;
  drain(): Promise<void>;
}

interface Item {
  readonly message: PreparedMessage;
  /** Set once committed: a retry of the rest of the group skips this item. */
  accepted: Accepted | null;
}

export function createMessageWriter(
  deps: Pick<QueueDeps, "db" | "clock" | "ids" | "metrics" | "wakes" | "transactionSlots">,
): MessageWriter {
  const accountWriter = createAccountWriter<PreparedMessage, Accepted>({
    db: deps.db,
    rowOf: ({ row }) => row,
    write: (tx, shard, messages) => acceptIn(deps, tx, shard, messages),
  });
  const group = createGroup<Item, Accepted>({
    meter: deps.metrics.group("messages"),
    itemsPerWriteMax: ITEMS_PER_WRITE_MAX,
    itemsWaitingMax: ITEMS_WAITING_MAX,
    writesInFlightMax: WRITES_IN_FLIGHT_MAX,
    itemsPerFurtherWriteMin: ITEMS_PER_FURTHER_WRITE_MIN,
    isItemFault: (error) => !isUnavailable(error),
    write: async (items) => {
      const left = items.filter(({ accepted }) => accepted === null);
      for (const shard of new Set(left.map(({ message }) => message.row.shard))) {
        const own = left.filter(({ message }) => message.row.shard === shard);
        await writeShard(deps, shard, own);
      }
      return items.map(({ accepted }) => accepted as Accepted);
    },
  });
  return {
    add: (message) =>
      deps.transactionSlots.isFull(message.row.account_id)
        ? accountWriter.add(message)
        : group.add({ message, accepted: null }),
    async drain() {
      await Promise.all([group.drain(), accountWriter.drain()]);
    },
  };
}

/** Writes the items of one shard in one pipeline. */
async function writeShard(
  deps: Pick<QueueDeps, "db" | "clock" | "ids" | "wakes">,
  shard: number,
  items: readonly Item[],
): Promise<void> {
  const messages = items.map(({ message }) => message);
  const accountId = onlyAccount(messages.map(({ row }) => row.account_id));
  const [rows = []] = await deps.db.execPipelined([acceptStep(deps, shard, messages)], {
    accountId,
  });
  const accepted = acceptedOf(messages, rows as AcceptRow[]);
  for (const [index, item] of items.entries()) item.accepted = accepted[index] ?? null;
}

/** Accepts messages in the caller's transaction, for work that moves other rows too. */
export async function acceptIn(
  deps: Pick<QueueDeps, "clock" | "ids" | "wakes">,
  tx: Tx,
  shard: number,
  messages: readonly PreparedMessage[],
): Promise<Accepted[]> {
  return acceptedOf(messages, await tx.query<AcceptRow>(acceptStep(deps, shard, messages)));
}

/** Builds the step that accepts these messages; `acceptedOf` reads its answer. */
export function acceptStep(
  deps: Pick<QueueDeps, "clock" | "ids" | "wakes">,
  shard: number,
  messages: readonly PreparedMessage[],
): Step {
  const now = deps.clock.now();
  const accounts = [...new Set(messages.map(({ row }) => row.account_id))];
  const items = messages.map((message) => ({
    message,
    eventId: message.event === null ? null : deps.ids.makeAt(now),
  }));
  wakeFor(deps, messages);
  const values = [
    shard,
    new Date(now),
    monthOf(now),
    dayOf(now),
    FREE_TEXTS_PER_MONTH,
    accounts,
    messages.map((_, index) => index + 1),
    ...ACCEPT_COLUMNS.map((column) => column.textOf(items)),
  ];
  return { statement: acceptMessages.call, values };
}

/** Wakes the receipt and dispatch lanes at the first due time of these messages. */
function wakeFor({ wakes }: Pick<QueueDeps, "wakes">, messages: readonly PreparedMessage[]): void {
  wakeWhenDue(
    wakes,
    messages.map(({ row, receiptDueAt }) => ({ receiptDueAt, attemptDueAt: row.next_attempt_at })),
  );
}

export function acceptedOf(
  messages: readonly PreparedMessage[],
  [row]: readonly AcceptRow[],
): Accepted[] {
  if (!row?.verdicts) return messages.map(() => ACCEPTED_FREE);
  const { verdicts, billings, costs } = row;
  return verdicts.map((verdict, index) => ({
    verdict,
    costMicros: Number(costs?.[index] ?? 0),
    billing: billings?.[index] ?? "none",
  }));
}

/** The one account that all ids name, or null when there are several. */
export function onlyAccount(accountIds: readonly string[]): string | null {
  const [first = null] = accountIds;
  return accountIds.every((id) => id === first) ? first : null;
}
