import type { Tx } from "../../core/db/driver/database.ts";
import { findQueuedMessages, lockAccounts, type MessageRow } from "../messages/index.ts";
import type { OutboundDeps } from "./deps.ts";
import { settleIn } from "./settle.ts";
import { refusal, settlementOf } from "./triage-due.ts";

/**
 * Fails messages that wait for an attempt with `canceled`, free of charge, in the caller's transaction, which has
 * locked their followers. Messages with a carrier stay.
 */
export async function cancelQueued(
  deps: OutboundDeps,
  tx: Tx,
  shard: number,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const waiting = await tx.query<MessageRow>(findQueuedMessages, [shard, ids]);
  if (waiting.length === 0) return;
  await tx.query(lockAccounts, [shard, [...new Set(waiting.map((row) => row.account_id))]]);
  const settlements = waiting.map((row) => settlementOf(row, refusal("canceled"), row.attempts));
  await settleIn(deps, tx, shard, settlements);
}
