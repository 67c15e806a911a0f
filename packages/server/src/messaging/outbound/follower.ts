import type { FailureCode } from "@longwave/contract";
import type { Step, Tx } from "../db/database.ts";
import type { MessageRow } from "./message.ts";
import type { FinalReceipt } from "./stages.ts";

/** The columns of a message that name what follows it. */
type FollowedBy = "batch_id" | "schedule_id" | "run_id" | "verification_id";

/** What follows messages, all domains together. */
export interface MessageFollowers {
  /** Locks what follows these messages; runs before their accounts are locked. */
  lock(shard: number, rows: readonly MessageRow[]): Step[];
  /** Brings what follows these messages to where they stand by then. */
  follow(shard: number, rows: readonly MessageRow[], now: number): Step[];
  /** Locks what follows messages that have final receipts; runs before their accounts are locked. */
  lockReceived(shard: number, receipts: readonly FinalReceipt[]): Step[];
  /** Brings what follows them to where they stand, after the receipts have moved them. */
  received(shard: number, receipts: readonly FinalReceipt[], now: number): Step[];
  /** Whether `moved` is to be told of such a message. */
  attends(row: MessageRow): boolean;
  /** Does what follows from messages that have just moved, their accounts being locked. */
  moved(tx: Tx, shard: number, rows: readonly MessageRow[]): Promise<void>;
  /** Locks as above, and says which messages may not be handed over (again). */
  judge(tx: Tx, shard: number, rows: readonly MessageRow[], now: number): Promise<Judgements>;
}

/**
 * A domain whose own rows follow messages: a batch's recipients, the verification whose code a text
 * carries. It moves them in the transaction that moves the messages, so that neither is ever seen
 * without the other. It is called with messages that have the column `by`, and only if there are any.
 */
export interface MessageFollower extends Partial<Omit<MessageFollowers, "attends">> {
  readonly by: FollowedBy;
}

/** Held until somebody wakes it, or failed for a reason. What is not named may go. */
export type Judgements = ReadonlyMap<string, "hold" | { readonly failure: FailureCode }>;

/** Several as one. Messages that nothing follows cost a look at their columns. */
export function followAll(followers: readonly MessageFollower[]): MessageFollowers {
  return {
    lock: (shard, rows) =>
      stepsOf(followers, rows, isFollowed, (one, own) => one.lock?.(shard, own)),
    follow: (shard, rows, now) =>
      stepsOf(followers, rows, isFollowed, (one, own) => one.follow?.(shard, own, now)),
    lockReceived: (shard, receipts) =>
      stepsOf(followers, receipts, hasFollowed, (one, own) => one.lockReceived?.(shard, own)),
    received: (shard, receipts, now) =>
      stepsOf(followers, receipts, hasFollowed, (one, own) => one.received?.(shard, own, now)),
    attends: (row) => followers.some((one) => one.moved !== undefined && isFollowed(row, one.by)),
    async moved(tx, shard, rows) {
      for (const one of followers) {
        const own = rows.filter((row) => isFollowed(row, one.by));
        if (own.length > 0) await one.moved?.(tx, shard, own);
      }
    },
    async judge(tx, shard, rows, now) {
      const judged = new Map<string, "hold" | { readonly failure: FailureCode }>();
      for (const one of followers) {
        const own = rows.filter((row) => isFollowed(row, one.by));
        if (own.length === 0) continue;
        for (const [id, verdict] of (await one.judge?.(tx, shard, own, now)) ?? []) {
          judged.set(id, verdict);
        }
      }
      return judged;
    },
  };
}

function stepsOf<Item>(
  followers: readonly MessageFollower[],
  items: readonly Item[],
  isOf: (item: Item, by: FollowedBy) => boolean,
  steps: (one: MessageFollower, own: readonly Item[]) => Step[] | undefined,
): Step[] {
  return followers.flatMap((one) => {
    const own = items.filter((item) => isOf(item, one.by));
    return own.length === 0 ? [] : (steps(one, own) ?? []);
  });
}

function isFollowed(row: Partial<Pick<MessageRow, FollowedBy>>, by: FollowedBy): boolean {
  return (row[by] ?? null) !== null;
}

function hasFollowed({ row }: FinalReceipt, by: FollowedBy): boolean {
  return isFollowed(row, by);
}

export async function runSteps(tx: Tx, steps: readonly Step[]): Promise<void> {
  for (const step of steps) await tx.query(step.statement, step.values);
}
