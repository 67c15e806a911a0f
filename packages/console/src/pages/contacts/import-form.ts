import { CONTACT_IMPORT_ROWS_MAX } from "@longwave/contract/tables";
import type { ContactImport, ContactImportPreview, ContactImportRow } from "@longwave/sdk";
import { type CsvTable, guessPhoneColumn, parseConsent, variableName } from "../../csv.ts";

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
  { value: "attribute", label: "Attribute" },
  { value: "none", label: "Leave out" },
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

/** Values of one line, collected cell by cell. */
interface RowParts {
  readonly fields: Record<string, unknown>;
  readonly attributes: Record<string, string>;
  readonly optIn: Record<string, unknown>;
  readonly tags: Set<string>;
}

function gather(into: RowParts, use: ColumnUse, column: string, value: string): void {
  if (use === "attribute") into.attributes[variableName(column)] = value;
  else if (use === "tags") {
    for (const tag of value.split(/[,;|]/)) if (tag.trim() !== "") into.tags.add(tag.trim());
  } else if (use === "opt_in.status") {
    const agreed = parseConsent(value);
    if (agreed !== null) into.optIn["status"] = agreed;
  } else if (use === "opt_in.date" || use === "opt_in.source") {
    into.optIn[use.slice("opt_in.".length)] = value;
  } else into.fields[use] = value;
}

/**
 * A line of the file as the import takes it. Empty cells are omitted, so that they clear nothing.
 */
export function rowOf(form: ImportForm, cells: readonly string[]): ContactImportRow {
  const row: RowParts = { fields: {}, attributes: {}, optIn: {}, tags: new Set(form.tags) };
  for (const [index, use] of form.uses.entries()) {
    const value = (cells[index] ?? "").trim();
    if (value !== "" && use !== "none") gather(row, use, form.table?.columns[index] ?? "", value);
  }
  const { fields, attributes, optIn, tags } = row;
  return {
    // The server refuses a line without a number and accepts the others.
    phone_number: "",
    ...fields,
    ...(Object.keys(attributes).length > 0 ? { attributes } : {}),
    ...(Object.keys(optIn).length > 0 ? { opt_in: optIn } : {}),
    ...(tags.size > 0 ? { tags: [...tags] } : {}),
  } as ContactImportRow;
}

export function chunksOf(form: ImportForm): ContactImportRow[][] {
  const rows = form.table?.rows ?? [];
  return Array.from({ length: Math.ceil(rows.length / CHUNK_ROWS) }, (_, index) =>
    rows.slice(index * CHUNK_ROWS, (index + 1) * CHUNK_ROWS).map((cells) => rowOf(form, cells)),
  );
}

export interface Refused {
  /** Line in the file; the first row after the header is line 2. */
  readonly line: number;
  readonly value: string;
  readonly reason: string;
}

export interface ImportTotals {
  readonly rows: number;
  readonly created: number;
  readonly updated: number;
  readonly optedOut: number;
  readonly refused: readonly Refused[];
}

export const NOTHING_YET: ImportTotals = {
  rows: 0,
  created: 0,
  updated: 0,
  optedOut: 0,
  refused: [],
};

/** Adds the result of one request, with rows named by their lines in the file. */
export function addTo(
  totals: ImportTotals,
  answer: ContactImport | ContactImportPreview,
  rows: number,
): ImportTotals {
  const line = (index: number) => totals.rows + index + 2;
  const isPreview = answer.object === "contact_import_preview";
  const refused = isPreview
    ? answer.rejected
        .filter((each) => each.reason === "malformed")
        .map((each) => ({ line: line(each.index), value: each.phone_number, reason: each.detail }))
    : answer.skipped.map(({ index, value, reason }) => ({ line: line(index), value, reason }));
  return {
    rows: totals.rows + rows,
    created: totals.created + (isPreview ? answer.summary.will_create : answer.created),
    updated: totals.updated + (isPreview ? answer.summary.will_update : answer.updated),
    optedOut: totals.optedOut + (isPreview ? answer.summary.marked_unsubscribed : answer.opted_out),
    refused: [...totals.refused, ...refused],
  };
}
