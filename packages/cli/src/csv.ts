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

/** Content of a CSV file, and the encoding it was read in. */
export interface TableFile extends Table {
  readonly encoding: string;
}

export function readTable(file: string): TableFile {
  let bytes: number;
  try {
    bytes = statSync(file).size;
  } catch (error) {
    throw new UsageError(`There is no file ${file}.`, { cause: error });
  }
  if (bytes > FILE_BYTES_MAX)
    throw new UsageError(`${file} is larger than ${FILE_BYTES_MAX} bytes: split it.`);
  const { text, encoding } = decode(readFileSync(file));
  return { ...parseTable(text, file), encoding };
}

/** Characters 0x80 to 0x9f, where Windows-1252 differs from Latin-1; Node.js 20 decodes both alike. */
const WINDOWS_1252 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";

/** Bytes that decide about UTF-16 without a byte order mark. */
const SAMPLE_BYTES = 1_000;

/**
 * Decodes a file as spreadsheets save it: UTF-8, UTF-16 with or without a byte order mark, else
 * Windows-1252, which contains Latin-1.
 */
export function decode(bytes: Uint8Array): { text: string; encoding: string } {
  const utf16 = utf16Of(bytes);
  if (utf16) return { text: new TextDecoder(utf16).decode(bytes), encoding: utf16.toUpperCase() };
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return { text, encoding: "UTF-8" };
  } catch {
    const text = Buffer.from(bytes)
      .toString("latin1")
      .replaceAll(/[\u0080-\u009f]/g, (mark) => WINDOWS_1252[mark.charCodeAt(0) - 0x80] ?? mark);
    return { text, encoding: "Windows-1252" };
  }
}

/** In UTF-16, every second byte of a Latin letter or digit is zero; in no other CSV file is any. */
function utf16Of(bytes: Uint8Array): "utf-16le" | "utf-16be" | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  const zero = bytes.subarray(0, SAMPLE_BYTES).indexOf(0);
  if (zero === -1) return null;
  return zero % 2 === 1 ? "utf-16le" : "utf-16be";
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
    const taken = new Set(found.values());
    const free = columns.map((column, index) => (taken.has(index) ? "" : plainName(column)));
    const match = [field, ...names].map(plainName).find((name) => free.includes(name));
    if (match !== undefined) found.set(field, free.indexOf(match));
  }
  return found;
}

/** Name without case, accents and punctuation. */
export function plainName(name: string): string {
  return name
    .normalize("NFD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, "");
}

/** Common column names of phone numbers, in English, French and Spanish; mobile phones first. */
export const PHONE_NAMES = [
  ...["mobile", "mobile phone", "mobile number", "mobile phone number", "mobile no"],
  ...["cell", "cell phone", "cell number", "cell phone number", "cellular"],
  ...["portable", "cellulaire", "movil", "celular", "telefono movil", "telefono celular"],
  ...["msisdn", "sms", "sms number", "to", "recipient"],
  ...["phone", "phone number", "phone no", "telephone", "telephone number", "tel", "tel no"],
  ...["numero de telephone", "telefono", "numero de telefono"],
  ...["contact number", "primary phone", "number", "e164"],
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
