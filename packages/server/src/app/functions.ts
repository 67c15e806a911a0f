import type { SqlFunction } from "../core/db/driver/statement.ts";
import { appendEventsFunction } from "../events/log/append-function.ts";
import { followBatch } from "../messaging/batches/follow-function.ts";
import { sendBatchChunk } from "../messaging/batches/send-chunk-function.ts";
import { acceptMessages } from "../messaging/messages/accept-function.ts";
import { applyReceipts, applySimulatedReceipts } from "../messaging/messages/receipt-functions.ts";
import { settleAccepted, settleMessages } from "../messaging/messages/settle-functions.ts";

/**
 * SQL functions of this version, in the order of their installation. `npm run generate` prints them to the
 * unfrozen migration. A function of a released migration changes under a new name only
 * (scripts/generate/functions-migration.ts).
 */
export const FUNCTIONS: readonly SqlFunction[] = [
  appendEventsFunction,
  acceptMessages,
  settleAccepted,
  settleMessages,
  applyReceipts,
  applySimulatedReceipts,
  followBatch,
  sendBatchChunk,
];
