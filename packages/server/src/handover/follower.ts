import type { Step, Tx } from "../db/database.ts";
import type { MessageRow } from "./message-row.ts";

/**
 * A domain whose own rows follow messages: a batch's recipients. It moves them in the transaction
 * that moves the messages, so that neither is ever seen without the other. Rows of messages that
 * nothing follows cost nothing.
 */
export interface MessageFollower {
  /** Locks what follows these messages; runs before their accounts are locked. */
  lock(shard: number, rows: readonly MessageRow[]): Step[];
  /** Brings what follows these messages to where they stand by then. */
  follow(shard: number, rows: readonly MessageRow[], now: number): Step[];
  /**
   * Locks as above, and says which messages may not be handed over (again): held until they are
   * woken, or given up. What is not named may go.
   */
  judge(tx: Tx, shard: number, rows: readonly MessageRow[]): Promise<Judgements>;
}

export type Judgements = ReadonlyMap<string, "hold" | "give_up">;

export async function runSteps(tx: Tx, steps: readonly Step[]): Promise<void> {
  for (const step of steps) await tx.query(step.statement, step.values);
}
