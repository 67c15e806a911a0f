import type { Deliverability } from "@longwave/sdk";
import { useAccount } from "../../api/account.tsx";
import { consoleCall } from "../../api/client.ts";
import { useRead } from "../../api/queries.ts";
import { formatCount } from "../../ui/format.ts";
import { stringifySearch } from "../../ui/search-params.ts";

/** Sums of a window. */
export interface Before {
  readonly sent: number;
  readonly delivered: number;
  readonly failed: number;
}

/** Sums of the equally long window before this one. */
export function useBefore({ hours, created_after }: Deliverability): Before | null {
  const { scope } = useAccount();
  const path = `/${scope.join("/")}/traffic-before`;
  const query = stringifySearch({ hours, created_before: created_after });
  const read = useRead(["traffic-before", hours, created_after], (_, signal) =>
    consoleCall<Before>(`${path}${query}`, { signal }),
  );
  return read.data ?? null;
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
