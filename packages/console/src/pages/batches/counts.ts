import type { BatchCounts, BatchResults } from "@longwave/sdk";
import type { Part } from "../../ui/chart.tsx";

/**
 * Recipients by outcome, as parts of a bar. With results, receipts divide the sent ones, so that the
 * bar, the figures and the list of recipients agree.
 */
export function partsOf(counts: BatchCounts, results?: BatchResults): Part[] {
  const failed = Math.max(counts.failed, results ? failedOf(results) : 0);
  const delivered = Math.min(results?.delivered ?? 0, counts.sent);
  const sent = Math.max(0, counts.sent - delivered - (failed - counts.failed));
  return [
    ...(results ? [{ name: "Delivered", value: delivered, color: "--c-delivered" }] : []),
    { name: "Sent", value: sent, color: results ? "--c-sent" : "--c-delivered" },
    { name: "Failed", value: failed, color: "--c-failed" },
    { name: "Skipped", value: counts.skipped, color: "--c-received" },
    { name: "Paused", value: counts.paused, color: "--c-amber" },
    { name: "Queued", value: counts.queued, color: "--c-queued" },
    { name: "Canceled", value: counts.canceled, color: "--line-strong" },
  ];
}

/** Recipients that failed, before or after a message existed. */
export function failedOf(results: BatchResults): number {
  return results.failures.reduce((sum, { count }) => sum + count, 0);
}

/** Recipients in a final state. */
export function doneOf(counts: BatchCounts): number {
  return counts.sent + counts.failed + counts.skipped + counts.canceled;
}
