/** One record of a CSV file, with its first line number. */
export interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

/** Syntax error of a file, with its line. */
export class CsvFault extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

const RECORD_CHARS_MAX = 16_384;
const QUOTE = '"';
const BYTE_ORDER_MARK = "\ufeff";

/**
 * Incremental RFC 4180 reader for chunks split anywhere. Emits each complete record at once, and
 * buffers only the incomplete one. Skips empty lines.
 */
export class CsvReader {
  #rest = "";
  #line = 1;
  #charsRead = 0;

  push(text: string): CsvRecord[] {
    return this.#read(this.#rest + text, false);
  }

  /** Flushes the last record, which needs no line break. */
  end(): CsvRecord[] {
    return this.#read(this.#rest, true);
  }

  #read(given: string, isEnd: boolean): CsvRecord[] {
    const isMarked = this.#charsRead === 0 && given.startsWith(BYTE_ORDER_MARK);
    const text = isMarked ? given.slice(1) : given;
    this.#charsRead += given.length;
    const records: CsvRecord[] = [];
    let at = 0;
    while (at < text.length) {
      const found = recordAt({ text, isEnd, line: this.#line }, at);
      if (found === null) break;
      if (found.cells.length > 1 || found.cells[0] !== "") {
        records.push({ line: this.#line, cells: found.cells });
      }
      this.#line += found.lines;
      at = found.end;
    }
    this.#rest = text.slice(at);
    if (this.#rest.length > RECORD_CHARS_MAX) {
      throw new CsvFault(this.#line, `it has more than ${RECORD_CHARS_MAX} characters`);
    }
    return records;
  }
}

interface FoundRecord {
  readonly cells: string[];
  /** Offset of the next record. */
  readonly end: number;
  /** Line count of the record: a quoted cell may hold line breaks. */
  readonly lines: number;
}

/** Buffered input of the reader. */
interface Source {
  readonly text: string;
  /** True once the input is complete. */
  readonly isEnd: boolean;
  /** First line of the record. */
  readonly line: number;
}

interface FoundCell {
  readonly cell: string;
  /** Offset of the end: at a comma, a line break, or the end of the input. */
  readonly end: number;
  readonly lineBreaks: number;
}

/** Parses the record at an offset; null while it is incomplete. */
function recordAt(source: Source, start: number): FoundRecord | null {
  const { text, isEnd } = source;
  const cells: string[] = [];
  let at = start;
  let lines = 1;
  for (;;) {
    const found = text[at] === QUOTE ? quotedCell(source, at) : bareCell(source, at);
    if (found === null) return null;
    cells.push(found.cell);
    lines += found.lineBreaks;
    at = found.end;
    const next = text[at];
    if (next === "\n") return { cells, end: at + 1, lines };
    if (next === undefined) return isEnd ? { cells, end: at, lines } : null;
    at += 1;
  }
}

function quotedCell({ text, isEnd, line }: Source, at: number): FoundCell | null {
  const close = closingQuote(text, at + 1, isEnd);
  if (close === -1) {
    if (isEnd) throw new CsvFault(line, "a quoted cell is not closed");
    return null;
  }
  const inside = text.slice(at + 1, close);
  const isCrLf = text[close + 1] === "\r" && text[close + 2] === "\n";
  const end = close + (isCrLf ? 2 : 1);
  const next = text[end];
  // A CRLF may be split between chunks.
  if (next === "\r" && end + 1 === text.length && !isEnd) return null;
  if (next !== undefined && next !== "," && next !== "\n") {
    throw new CsvFault(line, "something follows the end of a quoted cell");
  }
  const lineBreaks = inside.split("\n").length - 1;
  return { cell: inside.replaceAll('""', QUOTE), end, lineBreaks };
}

function bareCell({ text, isEnd, line }: Source, at: number): FoundCell | null {
  const found = cellEnd(text, at);
  if (found === -1 && !isEnd) return null;
  const end = found === -1 ? text.length : found;
  const isLast = text[end] !== ",";
  const cell = text.slice(at, isLast && text[end - 1] === "\r" ? end - 1 : end);
  if (cell.includes(QUOTE)) throw new CsvFault(line, "a quotation mark stands within a cell");
  return { cell, end, lineBreaks: 0 };
}

/**
 * Offset of the closing quote; -1 when missing, or when the next chunk might make it an escaped
 * pair.
 */
function closingQuote(text: string, from: number, isEnd: boolean): number {
  let at = text.indexOf(QUOTE, from);
  while (at !== -1 && text[at + 1] === QUOTE) at = text.indexOf(QUOTE, at + 2);
  return at + 1 === text.length && !isEnd ? -1 : at;
}

/** Offset of the comma or line break that ends an unquoted cell. */
function cellEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 44 || code === 10) return at;
  }
  return -1;
}
