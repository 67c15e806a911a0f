/**
 * RFC 4180 CSV with formula injection neutralized.
 *
 * Messages, names and replies of webhook endpoints are untrusted input, which account holders open
 * in a spreadsheet: "=HYPERLINK(…)" must stay plain text. Phone numbers begin with + and are plain
 * numbers, so they stay unchanged and can be imported again.
 */

export type CsvValue = string | number | boolean | null | undefined;

// = + - @ tab and CR start a formula in one spreadsheet or another. Full-width forms do too in
// programs that fold them, such as the Japanese editions.
const FORMULA_START = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;
const PLAIN_NUMBER = /^[+-]?[\d.]+$/;
const NEEDS_QUOTES = /[",;\t\r\n]/;
// Spreadsheets of many countries separate cells by semicolons, and some programs by tabs. They split a text there,
// whatever its quotes say, and each part may start a formula.
const OTHER_SEPARATOR = /([;\t\r\n])/;

/** Prefixes an apostrophe wherever a spreadsheet would read a formula: at the start, and after a separator. */
export function neutralizeCsvText(text: string): string {
  if (PLAIN_NUMBER.test(text)) return text;
  const [first = "", ...rest] = text.split(OTHER_SEPARATOR);
  const start = FORMULA_START.test(text) ? `'${first}` : first;
  return start + rest.map(neutralizePart).join("");
}

function neutralizePart(part: string): string {
  const isFormula = FORMULA_START.test(part) && !OTHER_SEPARATOR.test(part);
  return isFormula && !PLAIN_NUMBER.test(part) ? `'${part}` : part;
}

/** One cell, quoted when necessary. Null and undefined are empty. */
export function csvCell(value: CsvValue): string {
  if (value === null || value === undefined) return "";
  // A number is ours and cannot be a formula, even with an exponent (-1e-7).
  const text = typeof value === "string" ? neutralizeCsvText(value) : String(value);
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** One line, with its CRLF. */
export function csvRow(values: readonly CsvValue[]): string {
  // Readers skip an empty line, so a single empty cell must be quoted.
  if (values.length === 1 && csvCell(values[0]) === "") return '""\r\n';
  return `${values.map(csvCell).join(",")}\r\n`;
}
