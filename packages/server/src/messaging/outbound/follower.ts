import type { FailureCode } from "@longwave/contract";
import type { Step, Tx } from "../../core/db/driver/database.ts";
import type { FinalReceipt, MessageRow } from "../messages/index.ts";

/** Columns of a message that reference a row of another domain. */
type FollowedBy = "batch_id" | "schedule_id" | "run_id" | "verification_id";

/** All followers combined. */
export interface MessageFollowers {
  /** Locks the followers' rows; runs before the accounts are locked. */
  lock(shard: number, rows: readonly MessageRow[]): Step[];
  /** Moves the followers' rows to match the messages. */
  follow(shard: number, rows: readonly MessageRow[], now: number): Step[];
  /** Locks the followers' rows for messages with final receipts; runs before the accounts are locked. */
  lockForReceipts(shard: number, receipts: readonly FinalReceipt[]): Step[];
  /** Moves the followers' rows after the receipts have moved the messages. */
  followReceipts(shard: number, receipts: readonly FinalReceipt[], now: number): Step[];
  /** Whether `onMoved` must run for this message. */
  hasMoveHandler(row: MessageRow): boolean;
  /** Runs the consequences of moved messages. Their accounts are locked. */
  onMoved(tx: Tx, shard: number, rows: readonly MessageRow[]): Promise<void>;
  /** Suspends queued messages until their account may send again; `check` has locked their followers. */
  suspend(shard: number, rows: readonly MessageRow[], now: number): Step[];
  /** Locks like `lock` and names the messages that may not be submitted. */
  check(tx: Tx, shard: number, rows: readonly MessageRow[], now: number): Promise<FollowerVerdicts>;
}

/**
 * A domain whose rows move together with messages: a batch's recipients, the verification of a code.
 *
 * It writes in the transaction that moves the messages, so readers never see one without the other. It is called
 * only with messages whose column `by` is set.
 */
export interface MessageFollower extends Partial<Omit<MessageFollowers, "hasMoveHandler">> {
  readonly by: FollowedBy;
}

/**
 * Verdict on a due message: suspended until a wake-up, sent only to somebody who has opted in, or failed with a code.
 */
export type FollowerVerdict = "suspend" | "needs_opt_in" | { readonly failure: FailureCode };

/** Messages that are absent may be submitted. */
export type FollowerVerdicts = ReadonlyMap<string, FollowerVerdict>;

/** Combines followers. A message without followers costs only the look at its columns. */
export function followAll(followers: readonly MessageFollower[]): MessageFollowers {
  return {
    lock: (shard, rows) =>
      stepsOf(followers, rows, isFollowed, (one, own) => one.lock?.(shard, own)),
    follow: (shard, rows, now) =>
      stepsOf(followers, rows, isFollowed, (one, own) => one.follow?.(shard, own, now)),
    lockForReceipts: (shard, receipts) =>
      stepsOf(followers, receipts, hasFollowed, (one, own) => one.lockForReceipts?.(shard, own)),
    followReceipts: (shard, receipts, now) =>
      stepsOf(followers, receipts, hasFollowed, (one, own) =>
        one.followReceipts?.(shard, own, now),
      ),
    suspend: (shard, rows, now) =>
      stepsOf(followers, rows, isFollowed, (one, own) => one.suspend?.(shard, own, now)),
    hasMoveHandler: (row) =>
      followers.some((one) => one.onMoved !== undefined && isFollowed(row, one.by)),
    async onMoved(tx, shard, rows) {
      for (const one of followers) {
        const own = rows.filter((row) => isFollowed(row, one.by));
        if (own.length > 0) await one.onMoved?.(tx, shard, own);
      }
    },
    async check(tx, shard, rows, now) {
      const verdicts = new Map<string, FollowerVerdict>();
      for (const one of followers) {
        const own = rows.filter((row) => isFollowed(row, one.by));
        if (own.length === 0) continue;
        for (const [id, verdict] of (await one.check?.(tx, shard, own, now)) ?? []) {
          verdicts.set(id, verdict);
        }
      }
      return verdicts;
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
