import { simulatedOutcome } from "../carriers/simulated-network.ts";
import { deliveredData } from "./message-events.ts";
import type { MessageRow } from "./message-row.ts";

/**
 * What will be told of a text once its simulated receipt says that it was delivered, where it says
 * nothing else: `bring_receipts` puts in the latency, which is not known before. Null where the
 * receipt says something else, or something follows from it.
 */
export function receiptEventOf(row: MessageRow): string | null {
  if (row.from_service || row.schedule_id !== null || row.run_id !== null) return null;
  const { receipt, reply } = simulatedOutcome(row.to_number);
  if (receipt !== "delivered" || reply !== null) return null;
  return JSON.stringify(deliveredData(row, 0));
}

/** Where the latency stands in it. */
export const NO_LATENCY = '"latency_ms":0';
