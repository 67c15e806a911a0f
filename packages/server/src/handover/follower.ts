import type { FailureCode } from "@longwave/contract";
import type { Step, Tx } from "../db/database.ts";
import type { MessageRow } from "./message-row.ts";
import type { FinalReceipt } from "./stages.ts";

/**
 * A domain whose own rows follow messages: a batch's recipients, the verification whose code a text
 * carries. It moves them in the transaction that moves the messages, so that neither is ever seen
 * without the other. Rows of messages that nothing follows cost nothing.
 */
export interface MessageFollower {
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

/** Held until somebody wakes it, or failed for a reason. What is not named may go. */
export type Judgements = ReadonlyMap<string, "hold" | { readonly failure: FailureCode }>;

/** Several as one. Each may leave out what it has nothing to do with. */
export function followAll(followers: readonly Partial<MessageFollower>[]): MessageFollower {
  return {
    lock: (shard, rows) => followers.flatMap((one) => one.lock?.(shard, rows) ?? []),
    follow: (shard, rows, now) => followers.flatMap((one) => one.follow?.(shard, rows, now) ?? []),
    lockReceived: (shard, receipts) =>
      followers.flatMap((one) => one.lockReceived?.(shard, receipts) ?? []),
    received: (shard, receipts, now) =>
      followers.flatMap((one) => one.received?.(shard, receipts, now) ?? []),
    attends: (row) => followers.some((one) => one.attends?.(row)),
    async moved(tx, shard, rows) {
      for (const one of followers) await one.moved?.(tx, shard, rows);
    },
    async judge(tx, shard, rows, now) {
      const judged = new Map<string, "hold" | { readonly failure: FailureCode }>();
      for (const one of followers) {
        for (const [id, verdict] of (await one.judge?.(tx, shard, rows, now)) ?? []) {
          judged.set(id, verdict);
        }
      }
      return judged;
    },
  };
}

export async function runSteps(tx: Tx, steps: readonly Step[]): Promise<void> {
  for (const step of steps) await tx.query(step.statement, step.values);
}
