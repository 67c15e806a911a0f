import { csvRow } from "@longwave/contract/tables";
import type { OperatorQuietLawsCreateBody, QuietLawTable } from "@longwave/sdk";
import { parseCsv } from "../../csv.ts";

type Hours = OperatorQuietLawsCreateBody["hours"][number];

const COLUMNS = ["region", "days", "from", "until", "source"] as const;
/** One row more than an edition may have, so that the server refuses the whole table. */
const ROWS_MAX = 401;

/** The table as CSV; weekdays are separated by spaces. */
export function writeHours({ hours }: Pick<QuietLawTable, "hours">): string {
  const rows = hours.map((row) =>
    csvRow([row.region, row.days.join(" "), row.from, row.until, row.source]),
  );
  return [csvRow([...COLUMNS]), ...rows].map((line) => line.trimEnd()).join("\n");
}

/** The rows of a CSV text. The server validates regions, weekdays and times. */
export function readHours(text: string): Hours[] {
  const { columns, rows } = parseCsv(text, ROWS_MAX);
  return rows.map((row) => {
    const cell = (name: (typeof COLUMNS)[number]) => row[columns.indexOf(name)]?.trim() ?? "";
    const days = cell("days")
      .toLowerCase()
      .split(/[\s,;]+/)
      .filter(Boolean);
    return {
      region: cell("region").toUpperCase(),
      days: days as Hours["days"],
      from: cell("from"),
      until: cell("until"),
      source: cell("source"),
    };
  });
}
