import { readFileSync, statSync } from "node:fs";
import { csvRow } from "@longwave/contract/tables";
import { parse } from "csv-parse/sync";
import { UsageError } from "./exit-codes.ts";

const FILE_BYTES_MAX = 256 * 1024 * 1024;
const DELIMITERS = [",", ";", "\t"];

/** CSV file with a header line. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export function readTable(file: string): Table {
  let bytes: number;
  try {
    bytes = statSync(file).size;
  } catch (error) {
    throw new UsageError(`There is no file ${file}.`, { cause: error });
  }
  if (bytes > FILE_BYTES_MAX)
    throw new UsageError(`${file} is larger than ${FILE_BYTES_MAX} bytes: split it.`);
  return parseTable(readFileSync(file, "utf8"), file);
}

export function parseTable(text: string, file = "The file"): Table {
  let lines: string[][];
  try {
    lines = parse(text, {
      bom: true,
      delimiter: delimiterOf(text),
      skip_empty_lines: true,
      relax_column_count: true,
      trim: true,
    }) as string[][];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${file} is no CSV: ${reason}`, { cause: error });
  }
  const [columns, ...rows] = lines;
  if (!columns || rows.length === 0) {
    throw new UsageError(`${file} needs a line of column names and at least one row.`);
  }
  const twice = columns.find((name, at) => columns.indexOf(name) !== at);
  if (twice !== undefined) throw new UsageError(`${file} has two columns named "${twice}".`);
  return { columns, rows };
}

/** Most frequent candidate in the header line: spreadsheets of some countries write semicolons. */
function delimiterOf(text: string): string {
  const [header = ""] = text.split(/\r?\n/, 1);
  const count = (mark: string) => header.split(mark).length;
  return DELIMITERS.reduce((best, mark) => (count(mark) > count(best) ? mark : best), ",");
}

/**
 * Maps columns to fields. `--map field=Column` wins; otherwise names match without case and
 * punctuation, or by common aliases.
 */
export function mapColumns(
  columns: readonly string[],
  fields: Readonly<Record<string, readonly string[]>>,
  given: readonly string[],
): Map<string, number> {
  const found = new Map<string, number>();
  for (const text of given) {
    const [field = "", column = ""] = text.split(/=(.*)/s);
    const at = columns.indexOf(column);
    if (at === -1) {
      throw new UsageError(
        `--map ${text}: there is no column "${column}". There are: ${columns.join(", ")}.`,
      );
    }
    found.set(field, at);
  }
  for (const [field, names] of Object.entries(fields)) {
    if (found.has(field)) continue;
    const wanted = [field, ...names].map(plainName);
    const at = columns.findIndex(
      (column, index) => wanted.includes(plainName(column)) && ![...found.values()].includes(index),
    );
    if (at !== -1) found.set(field, at);
  }
  return found;
}

export function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

/** Common column names of phone numbers. */
export const PHONE_NAMES = [
  "phone",
  "phone_number",
  "phonenumber",
  "number",
  "mobile",
  "cell",
  "to",
  "tel",
];

export interface RejectedRow {
  /** Index among the rows, from 0. */
  readonly index: number;
  readonly reason: string;
  readonly detail?: string | null;
}

/** Rejected rows unchanged, with reasons: to fix and upload again. */
export function rejectedCsv(table: Table, rejected: readonly RejectedRow[]): string {
  const lines = rejected.map(({ index, reason, detail }) => {
    const row = table.rows[index] ?? [];
    return csvRow([...table.columns.map((_, at) => row[at] ?? ""), reason, detail ?? ""]);
  });
  return [csvRow([...table.columns, "rejected_reason", "rejected_detail"]), ...lines].join("");
}
