import type { Usage } from "@longwave/sdk";

const KINDS = ["outbound", "inbound", "verifications"] as const;
const HEADER =
  "date,sent,sent_cost_usd,received,received_cost_usd,verifications,verifications_cost_usd";

/** One line per day with traffic. Every cell is a date or a number, so none needs quotes. */
export function usageCsv(usage: Pick<Usage, "data">): string {
  const lines = usage.data.map((day) =>
    [day.date, ...KINDS.flatMap((kind) => [day[kind].count, day[kind].cost_usd])].join(","),
  );
  return [HEADER, ...lines, ""].join("\r\n");
}
