import { CONTACT_IMPORT_ROWS_MAX, normalizePhone } from "@longwave/contract/tables";
import type { ContactImport, ContactImportPreview, ContactImportRow } from "@longwave/sdk";
import {
  type CsvTable,
  firstRowLine,
  guessPhoneColumn,
  parseConsent,
  variableName,
} from "../../csv.ts";

/** Rows per request of an import. */
const CHUNK_ROWS = CONTACT_IMPORT_ROWS_MAX;

export const COLUMN_USES = [
  { value: "phone_number", label: "Phone number" },
  { value: "name", label: "Name" },
  { value: "email", label: "Email" },
  { value: "company", label: "Company" },
  { value: "tags", label: "Tags, with commas between" },
  { value: "opt_in.status", label: "Opted in: yes or no" },
  { value: "opt_in.date", label: "Opted in: when" },
  { value: "opt_in.source", label: "Opted in: where" },
  { value: "opt_in.basis", label: "Opted in: express or implied" },
  { value: "opt_in.evidence.disclosure", label: "Opted in: wording shown" },
  { value: "opt_in.evidence.page_url", label: "Opted in: page" },
  { value: "opt_in.evidence.ip", label: "Opted in: IP address" },
  { value: "opt_in.evidence.user_agent", label: "Opted in: browser" },
  { value: "opt_in.evidence.form_version", label: "Opted in: form version" },
  { value: "opt_in.evidence.collected_at", label: "Opted in: time of the form" },
  { value: "attribute", label: "Attribute" },
  { value: "none", label: "Skip" },
] as const;
export type ColumnUse = (typeof COLUMN_USES)[number]["value"];

export interface ImportForm {
  readonly fileName: string;
  readonly table: CsvTable | null;
  readonly uses: readonly ColumnUse[];
  readonly tags: readonly string[];
}

export const EMPTY_IMPORT: ImportForm = { fileName: "", table: null, uses: [], tags: [] };

const GUESSES: readonly (readonly [RegExp, ColumnUse])[] = [
  [/^(full_?)?name$|^first_name$/, "name"],
  [/e_?mail/, "email"],
  [/company|organi[sz]ation|employer/, "company"],
  [/^(tags?|labels?|groups?)$/, "tags"],
  [/^(opt_?in|opted_in|subscribed|consent)(_status)?$/, "opt_in.status"],
  [/^(opt_?in|consent)_(date|at|time)$/, "opt_in.date"],
  [/^(opt_?in|consent)_source$/, "opt_in.source"],
  [/^(opt_?in|consent)_basis$/, "opt_in.basis"],
  [/^(opt_?in|consent)_disclosure$/, "opt_in.evidence.disclosure"],
  [/^(opt_?in|consent)_page_url$/, "opt_in.evidence.page_url"],
  [/^(opt_?in|consent)_ip(_address)?$/, "opt_in.evidence.ip"],
  [/^(opt_?in|consent)_user_agent$/, "opt_in.evidence.user_agent"],
  [/^(opt_?in|consent)_form_version$/, "opt_in.evidence.form_version"],
  [/^(opt_?in|consent)_collected_at$/, "opt_in.evidence.collected_at"],
];

/** Guesses each column's use by its name, and the phone by its values. Only one use may repeat. */
export function guessUses(table: CsvTable): ColumnUse[] {
  const phone = guessPhoneColumn(table);
  const taken = new Set<ColumnUse>();
  return table.columns.map((column, index) => {
    if (index === phone) return "phone_number";
    const name = variableName(column);
    const use = GUESSES.find(([pattern]) => pattern.test(name))?.[1] ?? "attribute";
    if (use !== "attribute" && taken.has(use)) return "attribute";
    taken.add(use);
    return use;
  });
}

const OPT_IN = "opt_in.";
const EVIDENCE = "opt_in.evidence.";

/** Values of one line, collected cell by cell. */
interface RowParts {
  readonly fields: Record<string, unknown>;
  readonly attributes: Record<string, string>;
  readonly optIn: Record<string, unknown>;
  readonly evidence: Record<string, string>;
  readonly tags: Set<string>;
}

function gather(into: RowParts, use: ColumnUse, column: string, value: string): void {
  if (use === "attribute") into.attributes[variableName(column)] = value;
  else if (use === "tags") {
    for (const tag of value.split(/[,;|]/)) if (tag.trim() !== "") into.tags.add(tag.trim());
  } else if (use === "opt_in.status") {
    const agreed = parseConsent(value);
    if (agreed !== null) into.optIn["status"] = agreed;
  } else if (use.startsWith(EVIDENCE)) into.evidence[use.slice(EVIDENCE.length)] = value;
  else if (use.startsWith(OPT_IN)) into.optIn[use.slice(OPT_IN.length)] = value;
  else into.fields[use] = value;
}

/**
 * A line of the file as the import takes it. Empty cells are omitted, so that they clear nothing.
 */
export function rowOf(form: ImportForm, cells: readonly string[]): ContactImportRow {
  const row: RowParts = {
    ...{ fields: {}, attributes: {}, optIn: {}, evidence: {} },
    tags: new Set(form.tags),
  };
  for (const [index, use] of form.uses.entries()) {
    const value = (cells[index] ?? "").trim();
    if (value !== "" && use !== "none") gather(row, use, form.table?.columns[index] ?? "", value);
  }
  const { fields, attributes, evidence, tags } = row;
  const optIn = Object.keys(evidence).length > 0 ? { ...row.optIn, evidence } : row.optIn;
  return {
    // The server refuses a line without a number and accepts the others.
    phone_number: "",
    ...fields,
    ...(Object.keys(attributes).length > 0 ? { attributes } : {}),
    ...(Object.keys(optIn).length > 0 ? { opt_in: optIn } : {}),
    ...(tags.size > 0 ? { tags: [...tags] } : {}),
  } as ContactImportRow;
}

/** Rows of one request, with their lines in the file. */
export interface Chunk {
  readonly rows: readonly ContactImportRow[];
  readonly lines: readonly number[];
}

interface NumberedRow {
  readonly row: ContactImportRow;
  readonly line: number;
}

/**
 * Requests of an import. All rows of a number go into one request: the server sees one request at a
 * time, so a trial would count a person of two requests twice.
 */
export function chunksOf(form: ImportForm): Chunk[] {
  const chunks: NumberedRow[][] = [[]];
  for (const rows of rowsByPerson(form)) {
    const last = chunks.at(-1) ?? [];
    if (last.length > 0 && last.length + rows.length > CHUNK_ROWS) chunks.push([]);
    for (const row of rows) {
      if (chunks.at(-1)?.length === CHUNK_ROWS) chunks.push([]);
      chunks.at(-1)?.push(row);
    }
  }
  return chunks
    .filter((rows) => rows.length > 0)
    .map((rows) => ({ rows: rows.map(({ row }) => row), lines: rows.map(({ line }) => line) }));
}

function rowsByPerson(form: ImportForm): Iterable<NumberedRow[]> {
  const people = new Map<string, NumberedRow[]>();
  for (const [index, cells] of (form.table?.rows ?? []).entries()) {
    const row = rowOf(form, cells);
    const line = index + firstRowLine(form.table);
    const person = phoneOf(row) ?? `line ${line}`;
    const rows = people.get(person) ?? [];
    rows.push({ row, line });
    people.set(person, rows);
  }
  return people.values();
}

function phoneOf({ phone_number }: ContactImportRow): string | null {
  return typeof phone_number === "string" ? normalizePhone(phone_number) : null;
}

export interface Refused {
  /** Line in the file. */
  readonly line: number;
  readonly value: string;
  readonly reason: string;
}

/** Sums over requests: people, except for `rows` and `merged`. */
export interface ImportTotals {
  readonly rows: number;
  readonly created: number;
  readonly updated: number;
  /** Further rows of a number that is in the file already. */
  readonly merged: number;
  readonly optedOut: number;
  readonly refused: readonly Refused[];
}

export const NOTHING_YET: ImportTotals = {
  rows: 0,
  created: 0,
  updated: 0,
  merged: 0,
  optedOut: 0,
  refused: [],
};

/** Adds the result of one request. A trial and the import of the same rows add the same. */
export function addTo(
  totals: ImportTotals,
  answer: ContactImport | ContactImportPreview,
  { rows, lines }: Chunk,
): ImportTotals {
  const refusedAt = new Set(answer.skipped.map(({ index }) => index));
  const taken = rows.filter((_, index) => !refusedAt.has(index));
  const people = new Set(taken.map((row) => phoneOf(row) ?? row)).size;
  const isPreview = answer.object === "contact_import_preview";
  const created = isPreview ? answer.summary.will_create : answer.created;
  const refused = answer.skipped.map(({ index, value, reason }) => ({
    line: lines[index] ?? 0,
    value,
    reason,
  }));
  return {
    rows: totals.rows + rows.length,
    created: totals.created + created,
    // The import counts each further row of a number as an update.
    updated: totals.updated + people - created,
    merged: totals.merged + taken.length - people,
    optedOut: totals.optedOut + (isPreview ? answer.summary.marked_unsubscribed : answer.opted_out),
    refused: [...totals.refused, ...refused].sort((a, b) => a.line - b.line),
  };
}
