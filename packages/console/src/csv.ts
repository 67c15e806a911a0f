import { normalizePhone } from "@longwave/contract/tables";
import Papa from "papaparse";
import { formatCount } from "./ui/format.ts";

export interface CsvTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Number of rows beyond the limit, not in `rows`. */
  readonly rowsOverLimit: number;
}

/** Maximum rows of one import. */
export const IMPORT_ROWS_MAX = 100_000;

/**
 * The parsed file, or why it is refused. A file over the limit is refused: nobody would notice the
 * missing rest.
 */
export function parseWholeCsv(text: string, rowsMax: number): CsvTable | string {
  const table = parseCsv(text, rowsMax);
  if (table.rows.length === 0) {
    return "The file has no rows below its first line. The first line names the columns.";
  }
  if (table.rowsOverLimit === 0) return table;
  return `The file has ${formatCount(rowsMax + table.rowsOverLimit)} rows, and one import takes ${formatCount(rowsMax)}. Split it, and import one part after the other.`;
}

/** Parses a CSV file. The first line names the columns; empty lines are skipped. */
export function parseCsv(text: string, rowsMax: number): CsvTable {
  const parsed = Papa.parse<string[]>(text.replace(/^\uFEFF/, ""), { skipEmptyLines: "greedy" });
  const [head = [], ...rows] = parsed.data;
  const columns = head.map((name, index) => name.trim() || `Column ${index + 1}`);
  return {
    columns,
    rows: rows.slice(0, rowsMax),
    rowsOverLimit: Math.max(0, rows.length - rowsMax),
  };
}

const SAMPLE_ROWS = 50;

/** The phone number column: the one with the most parseable numbers in its first rows. */
export function guessPhoneColumn(table: CsvTable): number {
  const sample = table.rows.slice(0, SAMPLE_ROWS);
  const hits = table.columns.map(
    (_, index) => sample.filter((row) => normalizePhone(row[index] ?? "") !== null).length,
  );
  const best = Math.max(0, ...hits);
  return best === 0 ? 0 : hits.indexOf(best);
}

/** A column's name as a merge variable: "First name" is {{first_name}}. */
export function variableName(column: string): string {
  return column
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "_")
    .replaceAll(/^_+|_+$/g, "");
}

const YES = /^(1|y|yes|true|x|ja|oui|si|opted.?in|subscribed)$/i;
const NO = /^(0|n|no|false|nein|non|opted.?out|unsubscribed)$/i;

/** Reads a cell as consent, yes or no; null: neither. */
export function parseConsent(cell: string): boolean | null {
  if (YES.test(cell)) return true;
  return NO.test(cell) ? false : null;
}
