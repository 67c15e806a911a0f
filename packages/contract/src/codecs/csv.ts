/**
 * CSV as RFC 4180 has it, with cells that a spreadsheet would run as formulas made harmless.
 *
 * Texts, names and the replies of webhook endpoints are written by strangers and opened in a
 * spreadsheet by someone with an account: "=HYPERLINK(…)" must arrive as words. Phone numbers
 * begin with + and are plain numbers, so they stay as they are and can be imported again.
 */

export type CsvValue = string | number | boolean | null | undefined;

// = + - @ tab and CR start a formula in one spreadsheet or another. Full-width forms do so too
// where the program folds them, as the Japanese editions do.
const FORMULA_START = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;
const PLAIN_NUMBER = /^[+-]?[\d.]+$/;
const NEEDS_QUOTES = /[",\r\n]/;

/** The text with a leading apostrophe where a spreadsheet would take it for a formula. */
export function neutralizeCsvText(text: string): string {
  return FORMULA_START.test(text) && !PLAIN_NUMBER.test(text) ? `'${text}` : text;
}

/** One cell, quoted where it has to be. Null and undefined are empty. */
export function csvCell(value: CsvValue): string {
  if (value === null || value === undefined) return "";
  // A number is ours and cannot be a formula, also where it is written with an exponent (-1e-7).
  const text = typeof value === "string" ? neutralizeCsvText(value) : String(value);
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** One line, with its CRLF. */
export function csvRow(values: readonly CsvValue[]): string {
  // A line with nothing on it reads as no line: a single empty cell has to be quoted.
  if (values.length === 1 && csvCell(values[0]) === "") return '""\r\n';
  return `${values.map(csvCell).join(",")}\r\n`;
}
