import { styled, type Terminal } from "./terminal.ts";

const TABLE_COLUMNS_MAX = 7;
const CELL_CHARS_MAX = 36;
/** Leading columns of a table, in order, if present. */
const COLUMNS_FIRST = [
  "id",
  "created_at",
  "phone_number",
  "type",
  "status",
  "from",
  "to",
  "name",
  "body",
];
/** Timestamp of the API, in UTC. */
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
/** Columns never shown. */
const COLUMNS_NEVER = new Set(["object"]);
/** Fields of every page. */
const PAGE_FIELDS = new Set(["object", "data", "has_more", "next_cursor"]);

/** Prints a response: unchanged with --json, else as readable lines. */
export function printAnswer(terminal: Terminal, answer: unknown): void {
  if (terminal.json) {
    terminal.out(JSON.stringify(answer));
    return;
  }
  if (isPage(answer)) {
    printPage(terminal, answer);
    return;
  }
  if (isObject(answer)) {
    printObject(terminal, answer);
    return;
  }
  terminal.out(String(answer));
}

interface Page {
  readonly data: readonly unknown[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isPage(value: unknown): value is Page {
  return isObject(value) && Array.isArray(value["data"]) && "has_more" in value;
}

function printPage(terminal: Terminal, page: Page): void {
  const items = page.data.filter(isObject);
  const lines = items.length === 0 ? ["Nothing here."] : tableLines(terminal, items);
  for (const line of lines) terminal.out(line);
  printObject(terminal, besidesItems(page));
  if (page.next_cursor) {
    terminal.err(styled(terminal, "dim", `More: --cursor ${page.next_cursor}, or --all`));
  }
}

/** Additional fields of a page, such as the numbers that no carrier serves. */
function besidesItems(page: Page): Record<string, unknown> {
  const isTold = ([name, value]: [string, unknown]) =>
    !PAGE_FIELDS.has(name) && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(page).filter(isTold));
}

/** Formats items as a table of the most useful columns. */
export function tableLines(
  terminal: Terminal,
  items: readonly Record<string, unknown>[],
): string[] {
  const names = columnsOf(items);
  const rows = items.map((item) => names.map((name) => cellText(item[name])));
  const widths = names.map((name, at) =>
    Math.min(CELL_CHARS_MAX, Math.max(name.length, ...rows.map((row) => charsOf(row[at] ?? "")))),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => padded(cell, widths[at] ?? 0))
      .join("  ")
      .trimEnd();
  return [styled(terminal, "bold", line(names)), ...rows.map(line)];
}

function columnsOf(items: readonly Record<string, unknown>[]): string[] {
  const names = new Set(items.flatMap((item) => Object.keys(item)));
  const isPlain = (name: string) =>
    !COLUMNS_NEVER.has(name) &&
    items.some(({ [name]: value }) => value !== null && value !== undefined && isCell(value));
  const first = COLUMNS_FIRST.filter((name) => names.has(name) && isPlain(name));
  const rest = [...names].filter((name) => !first.includes(name) && isPlain(name));
  return [...first, ...rest].slice(0, TABLE_COLUMNS_MAX);
}

function isCell(value: unknown): boolean {
  return !isObject(value) || isSomething(value);
}

/** Actor or target of an audit entry, printed as one word. */
function isSomething(value: unknown): value is { type: string; id: unknown; name?: unknown } {
  return isObject(value) && typeof value["type"] === "string" && "id" in value;
}

function printObject(terminal: Terminal, value: Record<string, unknown>): void {
  const entries = Object.entries(value).filter(([, field]) => field !== null);
  const width = Math.max(...entries.map(([name]) => name.length));
  for (const [name, field] of entries) {
    terminal.out(`${styled(terminal, "dim", name.padEnd(width))}  ${visible(fieldText(field))}`);
  }
}

function fieldText(field: unknown): string {
  const isWords = Array.isArray(field) && field.every((one) => typeof one === "string");
  if (isWords && field.length > 0) return field.join(", ");
  return typeof field === "object" ? JSON.stringify(field) : String(field);
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (isSomething(value)) return cellText(value.name ?? value.id ?? value.type);
  if (typeof value === "string" && TIMESTAMP.test(value)) return timeText(value);
  return visible(typeof value === "object" ? JSON.stringify(value) : String(value));
}

/** Timestamp to the second, still in UTC: `2026-11-18 22:54:59Z`. */
export function timeText(timestamp: string): string {
  return `${timestamp.slice(0, 19).replace("T", " ")}Z`;
}

/** Escapes control characters: a received text must not move the cursor or colour the terminal. */
export function visible(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]+/g, " ");
}

function charsOf(text: string): number {
  return [...text].length;
}

function padded(text: string, width: number): string {
  const chars = [...text];
  const cut = chars.length > width ? [...chars.slice(0, width - 1), "…"] : chars;
  return cut.join("") + " ".repeat(width - cut.length);
}
