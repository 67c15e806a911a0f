import { csvRow } from "@longwave/contract/tables";
import type { RejectedRow } from "@longwave/sdk";

/** Line of the file's first row, below the line that names the columns. */
const FIRST_LINE = 2;

/** A rejected row as the reader of the file counts: by lines. */
export interface RejectedLine {
  readonly line: number;
  readonly to: string;
  readonly reason: RejectedRow["reason"];
  readonly detail: string;
}

/** The API counts rows from 0, also in the detail that names an earlier row. */
export function inLines({ index, to, reason, detail }: RejectedRow): RejectedLine {
  const lineOf = (row: number) => row + FIRST_LINE;
  return {
    line: lineOf(index),
    to,
    reason,
    detail: detail.replace(/\brow (\d+)/, (_, row) => `line ${lineOf(Number(row))}`),
  };
}

/** The rejected rows as a file. Only rows of a file have lines. */
export function rejectedCsv(rejected: readonly RejectedRow[], isFile: boolean): string {
  const cells = (row: RejectedLine) => [
    ...(isFile ? [row.line] : []),
    row.to,
    row.reason,
    row.detail,
  ];
  const head = csvRow([...(isFile ? ["line"] : []), "to", "reason", "detail"]);
  return head + rejected.map((row) => csvRow(cells(inLines(row)))).join("");
}
