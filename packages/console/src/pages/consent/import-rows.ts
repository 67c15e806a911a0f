import { CONSENT_IMPORT_NUMBERS_MAX, type ConsentStatus } from "@longwave/contract/tables";
import type { ConsentImport, ConsentImportBody } from "@longwave/sdk";
import { type CsvTable, guessPhoneColumn, parseConsent, variableName } from "../../csv.ts";

type Row = ConsentImportBody["numbers"][number];

/** Column names by use. The phone column is detected by its values. */
const NAMES = {
  status: /^(status|state|consent|opt_?in|opted_in|subscribed)(_status)?$/,
  date: /(^|_)(date|at|time|when)$/,
  source: /(^|_)source$/,
  basis: /(^|_)basis$/,
} as const;

/** Columns of the circumstances of a choice. */
const EVIDENCE = {
  disclosure: /(^|_)disclosure$/,
  page_url: /(^|_)page_url$/,
  ip: /(^|_)ip(_address)?$/,
  user_agent: /(^|_)user_agent$/,
  form_version: /(^|_)form_version$/,
  collected_at: /(^|_)collected_at$/,
} as const;

/** Rows of a file as the API takes them; a row without a status gets `otherwise`. */
export function rowsOf(table: CsvTable, otherwise: ConsentStatus): Row[] {
  const names = table.columns.map(variableName);
  const columnOf = (pattern: RegExp) => names.findIndex((name) => pattern.test(name));
  const evidenceColumns = Object.entries(EVIDENCE).map(
    ([name, pattern]) => [name, columnOf(pattern)] as const,
  );
  const isEvidence = new Set(evidenceColumns.map(([, column]) => column));
  const choiceColumnOf = (pattern: RegExp) =>
    names.findIndex((name, column) => pattern.test(name) && !isEvidence.has(column));
  const phone = guessPhoneColumn(table);
  const [status, date, source, basis] = [NAMES.status, NAMES.date, NAMES.source, NAMES.basis].map(
    choiceColumnOf,
  );
  return table.rows.map((cells) => {
    const cell = (column: number | undefined) => cells[column ?? -1]?.trim() ?? "";
    const agreed = parseConsent(cell(status));
    const evidence = Object.fromEntries(
      evidenceColumns.flatMap(([name, column]) => (cell(column) ? [[name, cell(column)]] : [])),
    );
    return {
      phone_number: cell(phone),
      status: agreed === null ? otherwise : agreed ? "opted_in" : "opted_out",
      ...(cell(date) === "" ? {} : { date: cell(date) }),
      ...(cell(source) === "" ? {} : { source: cell(source) }),
      ...(cell(basis) === "" ? {} : { basis: cell(basis) as NonNullable<Row["basis"]> }),
      ...(Object.keys(evidence).length > 0 ? { evidence } : {}),
    };
  });
}

export function chunksOf(rows: readonly Row[]): Row[][] {
  const max = CONSENT_IMPORT_NUMBERS_MAX;
  return Array.from({ length: Math.ceil(rows.length / max) }, (_, index) =>
    rows.slice(index * max, (index + 1) * max),
  );
}

export interface Recorded {
  readonly rows: number;
  readonly optedIn: number;
  readonly optedOut: number;
  readonly unchanged: number;
  readonly skipped: readonly {
    /** Line in the file. */
    readonly line: number;
    readonly value: string;
    readonly detail: string;
  }[];
}

export const NOTHING_YET: Recorded = {
  rows: 0,
  optedIn: 0,
  optedOut: 0,
  unchanged: 0,
  skipped: [],
};

/** Adds the result of one request, with rows named by their lines in the file. */
export function addTo(
  before: Recorded,
  answer: ConsentImport,
  rows: number,
  firstLine: number,
): Recorded {
  const skipped = answer.skipped.map(({ index, value, detail }) => ({
    line: before.rows + index + firstLine,
    value,
    detail,
  }));
  return {
    rows: before.rows + rows,
    optedIn: before.optedIn + answer.opted_in,
    optedOut: before.optedOut + answer.opted_out,
    unchanged: before.unchanged + answer.unchanged,
    skipped: [...before.skipped, ...skipped],
  };
}
