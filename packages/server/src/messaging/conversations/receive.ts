import type { Tx } from "../../core/db/driver/database.ts";
import type { MessageRow } from "../messages/index.ts";
import { upsertReceived } from "./sql.ts";

/** Numbers of the account that a conversation lists, the newest first. */
const NUMBERS_MAX = 20;

/**
 * Adds a received message to its conversation, in the transaction that stores it and under the account's lock.
 * `isAnswered`: a keyword that the service has answered, which nobody needs to read.
 */
export function addReceived(tx: Tx, message: MessageRow, isAnswered: boolean): void {
  tx.send(upsertReceived, [
    message.shard,
    message.account_id,
    message.mode,
    message.from_number,
    message.id,
    message.to_number,
    isAnswered ? 0 : 1,
    isAnswered ? null : message.id,
    new Date(message.created_at),
    NUMBERS_MAX,
  ]);
}
