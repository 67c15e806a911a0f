import type { CustomerUsage } from "@longwave/sdk";
import { serverMs } from "../../clock.ts";
import { dayName, dayStartMs, dayStarts } from "../../ui/calendar.ts";
import type { Bucket } from "../../ui/chart.tsx";
import { formatDay } from "../../ui/format.ts";

export const USAGE_SERIES = [
  { name: "Sent", color: "--c-sent" },
  { name: "Received", color: "--c-received" },
  { name: "Verifications", color: "--c-delivered" },
];

/** Start of the span of the newest `days` calendar days of the reader. */
export function newestDays(days: number): string {
  return new Date(dayStartMs(serverMs(), days - 1)).toISOString();
}

/** One bar for every calendar day of the window, empty ones included; future days are left out. */
export function dayBuckets(
  usage: Pick<CustomerUsage, "data" | "created_after" | "created_before">,
  nowAtMs: number = serverMs(),
): Bucket[] {
  const byDay = new Map(usage.data.map((row) => [row.date, row]));
  const beforeMs = Math.min(Date.parse(usage.created_before), nowAtMs + 1);
  return dayStarts(Date.parse(usage.created_after), beforeMs).map((fromMs) => {
    const row = byDay.get(dayName(fromMs));
    const untilMs = dayStartMs(fromMs, -1);
    return {
      label: formatDay(new Date(fromMs).toISOString()),
      values: [row?.outbound.count ?? 0, row?.inbound.count ?? 0, row?.verifications.count ?? 0],
      from: new Date(fromMs).toISOString(),
      until: untilMs > nowAtMs ? null : new Date(untilMs).toISOString(),
    };
  });
}
