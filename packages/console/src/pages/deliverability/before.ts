import { DELIVERABILITY_HOURS_MAX } from "@longwave/contract/tables";
import type { Deliverability } from "@longwave/sdk";
import { useRead } from "../../api/queries.ts";
import { formatCount } from "../../ui/format.ts";

/** Sums of a window. */
export interface Before {
  readonly sent: number;
  readonly delivered: number;
  readonly failed: number;
}

/** Sums of the equally long window before this one; null where the API keeps no hours of it. */
export function useBefore({ hours, series }: Deliverability): Before | null {
  const both = 2 * hours;
  const read = useRead(
    ["home", "deliverability", "before", hours],
    (api, signal) => api.deliverability.get({ hours: both }, { signal }),
    { enabled: both <= DELIVERABILITY_HOURS_MAX },
  );
  const first = series[0]?.hour;
  return read.data && first !== undefined ? sumBefore(read.data.series, first) : null;
}

export function sumBefore(series: Deliverability["series"], first: string): Before {
  const earlier = series.filter((row) => row.hour < first);
  const sum = (field: keyof Before) => earlier.reduce((total, row) => total + row[field], 0);
  return { sent: sum("sent"), delivered: sum("delivered"), failed: sum("failed") };
}

const PERCENT_MAX = 999;

/** "+12 % vs. before". */
export function changeOf(now: number, before: number): string {
  if (before === 0) return "none before";
  const percent = Math.round(((now - before) / before) * 100);
  // A percentage of almost nothing says less than the number itself.
  if (percent > PERCENT_MAX) return `${formatCount(before)} before`;
  return `${percent > 0 ? "+" : ""}${percent} % vs. before`;
}

/** Change of a rate in percentage points; null where either window has no completed message. */
export function rateChangeOf(
  now: Omit<Before, "sent">,
  before: Omit<Before, "sent">,
): string | null {
  const [rateNow, rateBefore] = [now, before].map(({ delivered, failed }) =>
    delivered + failed === 0 ? null : delivered / (delivered + failed),
  );
  if (rateNow == null || rateBefore == null) return null;
  const points = Math.round((rateNow - rateBefore) * 1_000) / 10;
  return `${points > 0 ? "+" : ""}${points} points vs. before`;
}
