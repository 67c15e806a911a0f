import { FREE_TEXTS_PER_MONTH, type MessageBilling } from "@longwave/contract";
import { dayOf, monthOf } from "../billing/index.ts";
import type { Step, Tx } from "../db/database.ts";
import { isUnavailable } from "../db/failures.ts";
import { createGroup, type Group } from "../db/group.ts";
import type { QueueDeps } from "../queue/deps.ts";
import { ACCEPT_COLUMNS, acceptMessages } from "./accept-function.ts";
import { receiptsAt, wakeWhenDue } from "./due-times.ts";
import type { Accepted, Composed, Verdict } from "./stages.ts";

/** What the function says of a group; all null where every item is accepted and free of charge. */
interface AcceptRow {
  readonly verdicts: readonly Verdict[] | null;
  readonly billings: readonly MessageBilling[] | null;
  /** As text: they are big integers. */
  readonly costs: readonly string[] | null;
}

const FREELY_ACCEPTED: Accepted = { verdict: "accepted", costMicros: 0, billing: "none" };

const ITEMS_PER_WRITE_MAX = 1_000;
const ITEMS_WAITING_MAX = 5_000;
/** While the answer of one group waits for Node.js, the database works on a second one. */
const WRITES_IN_FLIGHT_MAX = 2;
const ITEMS_PER_FURTHER_WRITE_MIN = 16;

export type MessageWriter = Group<Composed, Accepted>;

/** Writes messages by groups: the hot path of the service. */
export function createMessageWriter(
  deps: Pick<QueueDeps, "db" | "clock" | "ids" | "metrics" | "wakes">,
): MessageWriter {
  return createGroup<Composed, Accepted>({
    meter: deps.metrics.group("messages"),
    itemsPerWriteMax: ITEMS_PER_WRITE_MAX,
    itemsWaitingMax: ITEMS_WAITING_MAX,
    writesInFlightMax: WRITES_IN_FLIGHT_MAX,
    itemsPerFurtherWriteMin: ITEMS_PER_FURTHER_WRITE_MIN,
    isItemFault: (error) => !isUnavailable(error),
    write: async (items) => {
      const results: Accepted[] = new Array(items.length);
      for (const [shard, indexes] of byShard(items)) {
        const group = indexes.map((index) => items[index] as Composed);
        const accountId = onlyAccount(group.map(({ row }) => row.account_id));
        const [rows] = await deps.db.fly([acceptStep(deps, shard, group)], { accountId });
        const accepted = acceptedOf(group, rows as AcceptRow[]);
        indexes.forEach((index, position) => {
          results[index] = accepted[position] as Accepted;
        });
      }
      return results;
    },
  });
}

/** The same in a transaction of the caller's, for work that moves other rows along. */
export async function acceptIn(
  deps: Pick<QueueDeps, "clock" | "ids" | "wakes">,
  tx: Tx,
  shard: number,
  texts: readonly Composed[],
): Promise<Accepted[]> {
  const { statement, values } = acceptStep(deps, shard, texts);
  return acceptedOf(texts, await tx.query<AcceptRow>(statement, values));
}

/** The same as a step, where nothing can refuse the items. */
export function acceptStep(
  deps: Pick<QueueDeps, "clock" | "ids" | "wakes">,
  shard: number,
  texts: readonly Composed[],
): Step {
  const now = deps.clock.now();
  const accounts = [...new Set(texts.map((text) => text.row.account_id))];
  const items = texts.map((text) => ({
    text,
    eventId: text.event === null ? null : deps.ids.makeAt(now),
  }));
  wakeWhenDue(
    deps.wakes,
    texts.map(({ row, receiptDueAt }) => ({ receiptDueAt, attemptDueAt: row.next_attempt_at })),
  );
  const values = [
    shard,
    new Date(now),
    monthOf(now),
    dayOf(now),
    FREE_TEXTS_PER_MONTH,
    accounts,
    texts.map((_, index) => index + 1),
    receiptsAt(accounts.length, texts),
    ...ACCEPT_COLUMNS.map((column) => column.textOf(items)),
  ];
  return { statement: acceptMessages.call, values };
}

function acceptedOf(texts: readonly Composed[], [row]: readonly AcceptRow[]): Accepted[] {
  if (!row?.verdicts) return texts.map(() => FREELY_ACCEPTED);
  const { verdicts, billings, costs } = row;
  return verdicts.map((verdict, index) => ({
    verdict,
    costMicros: Number(costs?.[index] ?? 0),
    billing: billings?.[index] ?? "none",
  }));
}

/** The account that all of these are of, if it is one. */
export function onlyAccount(accountIds: readonly string[]): string | null {
  const [first = null] = accountIds;
  return accountIds.every((id) => id === first) ? first : null;
}

/** Positions of the items, by shard. */
function byShard(items: readonly { row: { shard: number } }[]): Map<number, number[]> {
  const shards = new Map<number, number[]>();
  items.forEach((item, index) => {
    const indexes = shards.get(item.row.shard);
    if (indexes) indexes.push(index);
    else shards.set(item.row.shard, [index]);
  });
  return shards;
}
