import type { BatchCounts } from "@longwave/sdk";
import type { Part } from "../../ui/chart.tsx";

/** Recipients by outcome, as parts of a bar. */
export function partsOf(counts: BatchCounts): Part[] {
  return [
    { name: "Sent", value: counts.sent, color: "--c-delivered" },
    { name: "Failed", value: counts.failed, color: "--c-failed" },
    { name: "Skipped", value: counts.skipped, color: "--c-received" },
    { name: "Paused", value: counts.paused, color: "--c-amber" },
    { name: "Queued", value: counts.queued, color: "--c-queued" },
    { name: "Canceled", value: counts.canceled, color: "--line-strong" },
  ];
}

/** Recipients in a final state. */
export function doneOf(counts: BatchCounts): number {
  return counts.sent + counts.failed + counts.skipped + counts.canceled;
}
