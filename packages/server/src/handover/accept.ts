import { FREE_TEXTS_PER_MONTH, type MessageBilling } from "@longwave/contract";
import type { Step, Tx } from "../db/database.ts";
import { isUnavailable } from "../db/failures.ts";
import { createGroup, GroupFull } from "../db/group.ts";
import { dayOf, monthOf } from "../platform/clock.ts";
import type { QueueDeps } from "../queue/deps.ts";
import { alikeStep } from "./accept-alike.ts";
import { ACCEPT_COLUMNS, acceptMessages } from "./accept-function.ts";
import { createWriterAside } from "./aside.ts";
import { receiptsAt, wakeWhenDue } from "./due-times.ts";
import type { Accepted, Composed, Verdict } from "./stages.ts";

/** What the function says of a group; all null where every item is accepted and free of charge. */
export interface AcceptRow {
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

/** Writes messages by groups: the hot path of the service. */
export interface MessageWriter {
  add(text: Composed): Promise<Accepted>;
  /**
   * Runs a step in the same transaction as the next group of its account's texts, so that the two
   * lock the account and commit once; by itself where none waits. Answers its rows; or null, and has
   * not run it, where that group is of several accounts (whoever locks them one after the other may
   * deadlock), too many texts wait, or calls of the account have it locked.
   */
  takeAlong(rider: Rider): Promise<readonly unknown[] | null>;
  drain(): Promise<void>;
}

/** A step that locks one account and no more. */
export interface Rider {
  readonly shard: number;
  readonly accountId: string;
  readonly step: Step;
  /** How many wait for it: for many of these a group leaves beside another one. */
  readonly waiting: number;
}

/** What came of a text, or the rows of a rider's step. */
type Result = Accepted | readonly unknown[];

/** What a group is made of: texts to accept, and steps to take along. */
interface Item {
  readonly shard: number;
  readonly accountId: string;
  readonly text: Composed | null;
  readonly rider: Rider | null;
  /** Once it is committed: then it is not done again, where the rest of its group has to be. */
  result: Result | null;
}

export function createMessageWriter(
  deps: Pick<QueueDeps, "db" | "clock" | "ids" | "metrics" | "wakes" | "transactionTurns">,
): MessageWriter {
  const { transactionTurns } = deps;
  const aside = createWriterAside<Composed, Accepted>({
    db: deps.db,
    rowOf: ({ row }) => row,
    write: (tx, shard, texts) => acceptIn(deps, tx, shard, texts),
  });
  const group = createGroup<Item, Result | null>({
    meter: deps.metrics.group("messages"),
    itemsPerWriteMax: ITEMS_PER_WRITE_MAX,
    itemsWaitingMax: ITEMS_WAITING_MAX,
    writesInFlightMax: WRITES_IN_FLIGHT_MAX,
    itemsPerFurtherWriteMin: ITEMS_PER_FURTHER_WRITE_MIN,
    weigh: ({ rider }) => rider?.waiting ?? 1,
    isItemFault: (error) => !isUnavailable(error),
    write: async (items) => {
      const left = items.filter(({ result }) => result === null);
      for (const shard of new Set(left.map((item) => item.shard))) {
        const own = left.filter((item) => item.shard === shard);
        await writeOne(deps, shard, own);
      }
      return items.map(({ result }) => result);
    },
  });
  return {
    add: (text) => {
      const { shard, account_id: accountId } = text.row;
      if (transactionTurns.isFull(accountId)) return aside.add(text);
      const item = { shard, accountId, text, rider: null, result: null };
      return group.add(item) as Promise<Accepted>;
    },
    takeAlong: (rider) => {
      // Citus has a worker run a function as a whole only where it is called by itself.
      if (deps.db.isDistributed) return Promise.resolve(null);
      const { shard, accountId } = rider;
      if (transactionTurns.isFull(accountId)) return Promise.resolve(null);
      const item = { shard, accountId, text: null, rider, result: null };
      return (group.add(item) as Promise<readonly unknown[] | null>).catch(nullIfFull);
    },
    async drain() {
      await Promise.all([group.drain(), aside.drain()]);
    },
  };
}

function nullIfFull(error: unknown): null {
  if (error instanceof GroupFull) return null;
  throw error;
}

/** Writes the items of one shard in one flight. */
async function writeOne(
  deps: Pick<QueueDeps, "db" | "clock" | "ids" | "wakes">,
  shard: number,
  items: readonly Item[],
): Promise<void> {
  const accountId = onlyAccount(items.map((item) => item.accountId));
  let riding = accountId === null ? [] : items.filter(({ rider }) => rider !== null);
  const fly = async (accepting: readonly Step[]): Promise<readonly unknown[]> => {
    const taken = riding;
    riding = [];
    const steps = [...accepting, ...taken.map(({ rider }) => (rider as Rider).step)];
    const rows = await deps.db.fly(steps, { accountId });
    for (const [index, item] of taken.entries()) item.result = rows[accepting.length + index] ?? [];
    return rows[0] ?? [];
  };
  const written = items.filter(({ text }) => text !== null);
  if (written.length > 0) {
    const texts = written.map(({ text }) => text as Composed);
    const ahead = acceptAhead(deps, shard, texts);
    const accepted = await acceptBy(deps, shard, texts, ahead, (step) => fly([step]));
    for (const [index, item] of written.entries()) item.result = accepted[index] ?? null;
  } else if (riding.length > 0) await fly([]);
}

/**
 * What takes Node.js time before the database is asked to accept these texts, for whoever can do it while
 * the database is busy; null where they are not alike, and nothing can be done ahead.
 */
export function acceptAhead(
  deps: Pick<QueueDeps, "clock" | "ids">,
  shard: number,
  texts: readonly Composed[],
): Step | null {
  return alikeStep(deps, shard, texts, deps.clock.now());
}

/** The same in a transaction of the caller's, for work that moves other rows along. */
export function acceptIn(
  deps: Pick<QueueDeps, "clock" | "ids" | "wakes">,
  tx: Tx,
  shard: number,
  texts: readonly Composed[],
  ahead: Step | null = acceptAhead(deps, shard, texts),
): Promise<Accepted[]> {
  return acceptBy(deps, shard, texts, ahead, (step) => tx.query(step));
}

/** Texts that are alike are accepted by the shorter function, unless it finds that one may be refused. */
async function acceptBy(
  deps: Pick<QueueDeps, "clock" | "ids" | "wakes">,
  shard: number,
  texts: readonly Composed[],
  alike: Step | null,
  run: (step: Step) => Promise<readonly unknown[]>,
): Promise<Accepted[]> {
  if (alike) {
    wakeFor(deps, texts);
    const [row] = (await run(alike)) as { has_opt_outs: boolean }[];
    if (row?.has_opt_outs === false) return texts.map(() => FREELY_ACCEPTED);
  }
  return acceptedOf(texts, (await run(acceptStep(deps, shard, texts))) as AcceptRow[]);
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
  wakeFor(deps, texts);
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

/** Whoever brings receipts, or tries again, looks when the first of these falls due. */
function wakeFor({ wakes }: Pick<QueueDeps, "wakes">, texts: readonly Composed[]): void {
  wakeWhenDue(
    wakes,
    texts.map(({ row, receiptDueAt }) => ({ receiptDueAt, attemptDueAt: row.next_attempt_at })),
  );
}

export function acceptedOf(texts: readonly Composed[], [row]: readonly AcceptRow[]): Accepted[] {
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
