import type { CustomerUsage } from "@longwave/sdk";
import type { Bucket } from "../../ui/chart.tsx";
import { formatDay } from "../../ui/format.ts";

const DAY_MS = 86_400_000;

/** One bucket for every UTC day of the window, empty days included. */
export function dayBuckets(
  usage: Pick<CustomerUsage, "data" | "created_after" | "created_before">,
): Bucket[] {
  const byDay = new Map(usage.data.map((row) => [row.date, row]));
  const from = Date.parse(usage.created_after);
  const days = Math.ceil((Date.parse(usage.created_before) - from) / DAY_MS);
  return Array.from({ length: days }, (_, index) => {
    const date = new Date(from + index * DAY_MS).toISOString().slice(0, 10);
    const row = byDay.get(date);
    return {
      // Noon gives the same date in every zone that readers use.
      label: formatDay(`${date}T12:00:00Z`),
      values: [row?.outbound.count ?? 0, row?.inbound.count ?? 0, row?.verifications.count ?? 0],
    };
  });
}
