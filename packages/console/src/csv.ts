import { normalizePhone } from "@longwave/contract/tables";
import Papa from "papaparse";
import { formatCount } from "./ui/format.ts";

export interface CsvTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Number of rows beyond the limit, not in `rows`. */
  readonly rowsOverLimit: number;
  /** The first line, where it holds a phone number: it may be a person instead of the header. */
  readonly firstLine?: readonly string[];
  /** The first line is a row: the columns have numbers for names. */
  readonly isHeadless?: boolean;
  /** The file is not UTF-8 and was read as Windows-1252. */
  readonly isWindowsText?: boolean;
}

/** Maximum rows of one import. */
export const IMPORT_ROWS_MAX = 100_000;

/**
 * The parsed file, or why it is refused. A file over the limit is refused: nobody would notice the
 * missing rest.
 */
export function parseWholeCsv(bytes: ArrayBuffer, rowsMax: number): CsvTable | string {
  const table = parsePeople(bytes, rowsMax);
  if (typeof table === "string" || table.rowsOverLimit === 0) return table;
  return `The file has ${formatCount(rowsMax + table.rowsOverLimit)} rows, and one import takes ${formatCount(rowsMax)}. Split it, and import one part after the other.`;
}

/** The parsed list of people, or why it is refused. A first line with a phone number is a person. */
export function parsePeople(bytes: ArrayBuffer, rowsMax: number): CsvTable | string {
  const { text, isWindowsText } = decodeText(bytes);
  const { firstLine, ...table } = parseLines(text, rowsMax);
  const isPerson = firstLine.some((cell) => normalizePhone(cell) !== null);
  const read = {
    ...table,
    ...(isPerson ? { firstLine } : {}),
    ...(isWindowsText ? { isWindowsText } : {}),
  };
  if (isPerson) return withHeader(read, false, rowsMax);
  if (table.rows.length > 0) return read;
  return "The file has no rows below its first line. The first line names the columns.";
}

/** The table with its first line as the names of the columns, or as the first row. */
export function withHeader(table: CsvTable, hasHeader: boolean, rowsMax: number): CsvTable {
  const { firstLine, isHeadless = false } = table;
  if (firstLine === undefined || hasHeader !== isHeadless) return table;
  const { isHeadless: _, ...rest } = table;
  if (hasHeader) return { ...rest, columns: namesOf(firstLine), rows: table.rows.slice(1) };
  const isFull = table.rows.length >= rowsMax;
  return {
    ...rest,
    isHeadless: true,
    columns: firstLine.map((_, index) => `Column ${index + 1}`),
    rows: [firstLine, ...table.rows].slice(0, rowsMax),
    rowsOverLimit: table.rowsOverLimit + (isFull ? 1 : 0),
  };
}

/** Line of the file's first row: below the names of the columns, if there are any. */
export function firstRowLine(table: CsvTable | null): number {
  return table?.isHeadless ? 1 : 2;
}

/** Text of a file: UTF-8, or Windows-1252, in which spreadsheets save where they do not say. */
export function decodeText(bytes: ArrayBuffer): { text: string; isWindowsText: boolean } {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), isWindowsText: false };
  } catch {
    return { text: new TextDecoder("windows-1252").decode(bytes), isWindowsText: true };
  }
}

/** Parses a CSV file. The first line names the columns; empty lines are skipped. */
export function parseCsv(text: string, rowsMax: number): CsvTable {
  const { firstLine: _, ...table } = parseLines(text, rowsMax);
  return table;
}

function namesOf(firstLine: readonly string[]): string[] {
  return firstLine.map((name, index) => name.trim() || `Column ${index + 1}`);
}

function parseLines(text: string, rowsMax: number): CsvTable & { firstLine: readonly string[] } {
  const parsed = Papa.parse<string[]>(text.replace(/^\uFEFF/, ""), { skipEmptyLines: "greedy" });
  const [firstLine = [], ...rows] = parsed.data;
  return {
    firstLine,
    columns: namesOf(firstLine),
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
