import { mapColumns, PHONE_NAMES, plainName, type RejectedRow, type Table } from "./csv.ts";
import { UsageError } from "./exit-codes.ts";

/** Maximum number of contacts per request. */
const CONTACTS_PER_REQUEST_MAX = 500;

const FIELDS = {
  phone_number: PHONE_NAMES,
  name: ["full_name", "fullname"],
  email: ["e-mail", "mail", "email_address"],
  company: ["organisation", "organization", "business"],
  tags: ["tag", "labels", "groups"],
  opted_in: ["opt_in", "optin", "consent", "subscribed"],
  opted_in_at: ["opt_in_date", "optin_date", "consent_date"],
  opted_in_source: ["opt_in_source", "optin_source", "consent_source", "source"],
  opted_in_basis: ["opt_in_basis", "consent_basis"],
  consent_disclosure: ["opt_in_disclosure", "consent_text"],
  consent_page_url: ["opt_in_page_url", "consent_page"],
  consent_ip: ["opt_in_ip", "consent_ip_address"],
  consent_user_agent: ["opt_in_user_agent"],
  consent_form_version: ["opt_in_form_version"],
  consent_collected_at: ["opt_in_collected_at"],
};

const EVIDENCE = ["disclosure", "page_url", "ip", "user_agent", "form_version", "collected_at"];

export interface ContactRow {
  phone_number: string;
  [field: string]: unknown;
}

/** Used fields of the API's response. */
export interface ImportAnswer {
  readonly created?: number;
  readonly updated?: number;
  readonly opted_out?: number;
  readonly import_id?: string;
  readonly skipped?: readonly { index: number; value?: string; reason: string }[];
  readonly summary?: Readonly<Record<string, number | null>>;
  readonly rejected?: readonly { index: number; reason: string; detail?: string | null }[];
}

export type ImportCall = (body: Readonly<Record<string, unknown>>) => Promise<ImportAnswer>;

/** Converts rows to contacts. Columns without a field become attributes. */
export function contactsOf(table: Table, given: readonly string[]): ContactRow[] {
  const columns = mapColumns(table.columns, FIELDS, given);
  if (!columns.has("phone_number")) {
    throw new UsageError(
      `No column looks like a phone number: name it with --map phone_number=COLUMN. Columns: ${table.columns.join(", ")}.`,
    );
  }
  return table.rows.map((row) => contactOf(table, row, columns));
}

function contactOf(
  table: Table,
  row: readonly string[],
  columns: ReadonlyMap<string, number>,
): ContactRow {
  const cell = (field: string) => {
    const at = columns.get(field);
    return at === undefined ? "" : (row[at] ?? "");
  };
  const contact: ContactRow = { phone_number: cell("phone_number") };
  for (const field of ["name", "email", "company"])
    if (cell(field) !== "") contact[field] = cell(field);
  const tags = cell("tags")
    .split(/[,;|]/)
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
  if (tags.length > 0) contact["tags"] = tags;
  const optIn = optInOf(cell);
  if (optIn) contact["opt_in"] = optIn;
  const used = new Set(columns.values());
  const attributes = table.columns.flatMap((name, at) =>
    used.has(at) || !row[at] ? [] : [[attributeName(name), row[at]] as const],
  );
  if (attributes.length > 0) contact["attributes"] = Object.fromEntries(attributes);
  return contact;
}

function optInOf(cell: (field: string) => string): object | null {
  const evidence = filled(
    cell,
    EVIDENCE.map((name) => [name, `consent_${name}`]),
  );
  const status = cell("opted_in");
  const parts = {
    ...(status === "" ? {} : { status: isYes(status) }),
    ...filled(cell, [
      ["date", "opted_in_at"],
      ["source", "opted_in_source"],
      ["basis", "opted_in_basis"],
    ]),
    ...(Object.keys(evidence).length > 0 ? { evidence } : {}),
  };
  return Object.keys(parts).length > 0 ? parts : null;
}

/** Fields with the cells that are not empty. */
function filled(
  cell: (field: string) => string,
  fields: readonly (readonly [name: string, field: string])[],
): Record<string, string> {
  return Object.fromEntries(
    fields.flatMap(([name, field]) => (cell(field) === "" ? [] : [[name, cell(field)]])),
  );
}

/** Anything but a clear yes is no: the CLI never guesses an opt-in. */
function isYes(text: string): boolean {
  return ["yes", "y", "true", "1", "optedin", "subscribed"].includes(plainName(text));
}

function attributeName(column: string): string {
  return column
    .trim()
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "_");
}

export interface ImportReport {
  readonly totals: Record<string, number>;
  readonly rejected: readonly RejectedRow[];
}

/** Sends all rows in chunks; the report numbers rows as in the file. */
export async function importContacts(
  contacts: readonly ContactRow[],
  call: ImportCall,
  options: { dryRun: boolean; name?: string; onProgress?: (done: number) => void },
): Promise<ImportReport> {
  const totals: Record<string, number> = {};
  const rejected: RejectedRow[] = [];
  let importId: string | undefined;
  for (let at = 0; at < contacts.length; at += CONTACTS_PER_REQUEST_MAX) {
    const isFirst = importId === undefined;
    const answer = await call({
      contacts: contacts.slice(at, at + CONTACTS_PER_REQUEST_MAX),
      ...(options.dryRun ? { dry_run: true } : {}),
      ...(importId === undefined ? {} : { import_id: importId }),
      ...(isFirst && options.name !== undefined ? { name: options.name } : {}),
    });
    if (!options.dryRun) importId = answer.import_id;
    addTotals(totals, answer);
    // A dry run reports rows as `rejected`, an import as `skipped`.
    for (const row of answer.rejected ?? answer.skipped ?? []) {
      rejected.push({ ...row, index: at + row.index });
    }
    options.onProgress?.(Math.min(contacts.length, at + CONTACTS_PER_REQUEST_MAX));
  }
  return { totals, rejected };
}

function addTotals(totals: Record<string, number>, answer: ImportAnswer): void {
  const { created, updated, opted_out } = answer;
  for (const [name, count] of Object.entries(answer.summary ?? { created, updated, opted_out })) {
    if (typeof count === "number") totals[name] = (totals[name] ?? 0) + count;
  }
}
