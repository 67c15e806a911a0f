import { TextDecoder } from "node:util";
import {
  CsvFault,
  CsvReader,
  type CsvRecord,
  type FileBody,
  isLonger,
  LINE_TYPES,
  type LineType,
  NAME_CHARS_MAX,
  NUMBERING_COLUMNS,
  Problem,
} from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import { dropAbandonedLoads, dropLoad, insertLoad, insertRanges } from "./numbering-sql.ts";

const ROWS_PER_STATEMENT = 5_000;
/** Older than any request can be: a load this old was aborted. */
const ABANDONED_AFTER_MS = 3_600_000;
const PREFIXES = 1_000_000;
const NPA_NXX = /^[2-9]\d\d[2-9]\d\d$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

type Column = (typeof NUMBERING_COLUMNS)[number];

/** Buffered rows, one array per column. */
interface Rows {
  readonly npaNxx: number[];
  readonly lineTypes: LineType[];
  readonly carriers: (string | null)[];
  readonly localities: (string | null)[];
  readonly regions: (string | null)[];
}

/** A file whose rows are all stored but not in effect yet. */
export interface StagedLoad {
  readonly id: string;
  readonly rows: number;
}

/**
 * Loads a file in chunks of a few thousand rows under an id of its own. A wrong line or an aborted
 * upload deletes the chunks.
 */
export async function stageNumbering(deps: Base, file: FileBody): Promise<StagedLoad> {
  const now = deps.clock.now();
  const id = deps.ids.make();
  await deps.db.query(dropAbandonedLoads, [new Date(now - ABANDONED_AFTER_MS)]);
  await deps.db.query(insertLoad, [id, new Date(now)]);
  try {
    return { id, rows: await writeRows(deps, id, file) };
  } catch (error) {
    await unstageNumbering(deps, id);
    throw error;
  }
}

/** Deletes the rows of an aborted load. */
export async function unstageNumbering(deps: Base, id: string): Promise<void> {
  await deps.db.query(dropLoad, [id]);
}

async function writeRows(deps: Base, id: string, file: FileBody): Promise<number> {
  const seen = new Uint8Array(PREFIXES / 8);
  let rows = emptyRows();
  let written = 0;
  const write = async () => {
    const { npaNxx, lineTypes, carriers, localities, regions } = rows;
    if (npaNxx.length === 0) return;
    await deps.db.query(insertRanges, [id, npaNxx, lineTypes, carriers, localities, regions]);
    written += npaNxx.length;
    rows = emptyRows();
  };
  for await (const record of recordsOf(file)) {
    addRow(rows, record, seen);
    if (rows.npaNxx.length === ROWS_PER_STATEMENT) await write();
  }
  await write();
  return written;
}

function emptyRows(): Rows {
  return { npaNxx: [], lineTypes: [], carriers: [], localities: [], regions: [] };
}

/** Lines of a file after the header, which must name the columns. */
async function* recordsOf(file: FileBody): AsyncGenerator<CsvRecord, void, undefined> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const reader = new CsvReader();
  let isHeaderRead = false;
  function* bodyOf(records: readonly CsvRecord[]) {
    for (const record of records) {
      if (isHeaderRead) yield record;
      else checkHeader(record);
      isHeaderRead = true;
    }
  }
  try {
    for await (const piece of file) yield* bodyOf(reader.push(textOf(decoder, piece)));
    yield* bodyOf(reader.push(textOf(decoder)));
    yield* bodyOf(reader.end());
  } catch (error) {
    if (error instanceof CsvFault) throw refusal(error.line, `${error.message}. Mend the line`);
    throw error;
  }
  if (!isHeaderRead) throw refusal(1, `it has to be ${NUMBERING_COLUMNS.join(",")}`);
}

function textOf(decoder: TextDecoder, piece?: Uint8Array): string {
  try {
    return piece ? decoder.decode(piece, { stream: true }) : decoder.decode();
  } catch (error) {
    throw notUtf8(error);
  }
}

function notUtf8(cause: unknown): Problem {
  const message = "The file is not valid UTF-8. Save it as UTF-8.";
  return new Problem("invalid_request", message, { cause });
}

function checkHeader({ line, cells }: CsvRecord): void {
  const isRight =
    cells.length === NUMBERING_COLUMNS.length &&
    NUMBERING_COLUMNS.every((column, at) => cells[at]?.trim() === column);
  if (!isRight) throw refusal(line, `it has to be ${NUMBERING_COLUMNS.join(",")}`);
}

function addRow(rows: Rows, { line, cells }: CsvRecord, seen: Uint8Array): void {
  if (cells.length !== NUMBERING_COLUMNS.length) {
    const cellCount = cells.length === 1 ? "one cell" : `${cells.length} cells`;
    throw refusal(line, `it has ${cellCount}, and takes ${NUMBERING_COLUMNS.length}`);
  }
  const [npaNxx = "", lineType = "", carrier = "", locality = "", region = ""] = cells.map((cell) =>
    cell.trim(),
  );
  if (!NPA_NXX.test(npaNxx)) {
    throw refusal(line, "npa_nxx takes six digits: an area code and an exchange", "npa_nxx");
  }
  const prefix = Number(npaNxx);
  const bit = 1 << (prefix % 8);
  const byte = seen[prefix >> 3] ?? 0;
  if ((byte & bit) !== 0) throw refusal(line, `${npaNxx} is in the file twice`, "npa_nxx");
  seen[prefix >> 3] = byte | bit;
  if (!LINE_TYPES.includes(lineType as LineType)) {
    throw refusal(line, `line_type takes one of ${LINE_TYPES.join(", ")}`, "line_type");
  }
  rows.npaNxx.push(prefix);
  rows.lineTypes.push(lineType as LineType);
  rows.carriers.push(wordsIn(line, "carrier", carrier));
  rows.localities.push(wordsIn(line, "locality", locality));
  rows.regions.push(wordsIn(line, "region", region));
}

function wordsIn(line: number, column: Column, text: string): string | null {
  if (text === "") return null;
  if (isLonger(text, NAME_CHARS_MAX) || CONTROL.test(text)) {
    throw refusal(line, `${column} takes one line of at most ${NAME_CHARS_MAX} characters`, column);
  }
  return text;
}

function refusal(line: number, what: string, param?: Column): Problem {
  return new Problem(
    "invalid_request",
    `Line ${line} is wrong: ${what}. Correct it and send the file again; nothing was changed.`,
    param === undefined ? {} : { param },
  );
}
