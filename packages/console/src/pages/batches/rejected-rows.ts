import { csvRow } from "@longwave/contract/tables";
import type { RejectedRow } from "@longwave/sdk";

/** A rejected row as the reader of the file counts: by lines. */
export interface RejectedLine {
  readonly line: number;
  readonly to: string;
  readonly reason: RejectedRow["reason"];
  readonly detail: string;
}

/** The API counts rows from 0, also in the detail that names an earlier row. */
export function inLines(
  { index, to, reason, detail }: RejectedRow,
  firstLine: number,
): RejectedLine {
  const lineOf = (row: number) => row + firstLine;
  return {
    line: lineOf(index),
    to,
    reason,
    detail: detail.replace(/\brow (\d+)/, (_, row) => `line ${lineOf(Number(row))}`),
  };
}

/** The rejected rows as a file. Only rows of a file have lines: `firstLine` is null without one. */
export function rejectedCsv(rejected: readonly RejectedRow[], firstLine: number | null): string {
  const isFile = firstLine !== null;
  const cells = (row: RejectedLine) => [
    ...(isFile ? [row.line] : []),
    row.to,
    row.reason,
    row.detail,
  ];
  const head = csvRow([...(isFile ? ["line"] : []), "to", "reason", "detail"]);
  return head + rejected.map((row) => csvRow(cells(inLines(row, firstLine ?? 0)))).join("");
}
