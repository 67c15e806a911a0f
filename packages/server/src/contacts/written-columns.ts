import { columnsOf } from "../db/statement.ts";

/** A contact as the statements that write it take it. */
export interface WrittenContact {
  readonly id: string;
  readonly phone_number: string;
  readonly name: string | null;
  readonly email: string | null;
  readonly company: string | null;
  /** null where they are in lower case. */
  readonly tags: readonly string[] | null;
  readonly attributes: Readonly<Record<string, string>> | null;
  readonly opt_in_status: boolean | null;
  readonly opt_in_at: number | null;
  readonly opt_in_source: string | null;
  readonly tag_lines: string;
  /** These in lower case; null where it is the same text. */
  readonly folded_name: string | null;
  readonly folded_email: string | null;
  readonly folded_company: string | null;
  readonly folded_attributes: Readonly<Record<string, string>> | null;
}

const { plain, text } = columnsOf<WrittenContact>();
const json = (value: object | null) => (value === null ? null : JSON.stringify(value));
const ESCAPED = /["\\]/g;

/** A list as the text of an array; what stands in it cannot be told from the array's own marks otherwise. */
function listText(list: readonly string[]): string {
  return `{${list.map((item) => `"${item.replace(ESCAPED, "\\$&")}"`).join(",")}}`;
}

/** A group of contacts as arrays, a column at a time: quicker to read for PostgreSQL than JSON. */
// biome-ignore format: read as a table
export const WRITTEN_COLUMNS = [
  plain("id",                "uuid",        (row) => row.id),
  text ("phone_number",                     (row) => row.phone_number),
  text ("name",                             (row) => row.name),
  text ("email",                            (row) => row.email),
  text ("company",                          (row) => row.company),
  text ("tag_lines",                        (row) => row.tag_lines),
  text ("tags",                             (row) => row.tags === null ? null : listText(row.tags)),
  text ("attributes",                       (row) => json(row.attributes)),
  plain("opt_in_status",     "boolean",     (row) => row.opt_in_status),
  plain("opt_in_at",         "timestamptz", (row) => row.opt_in_at === null ? null : `"${new Date(row.opt_in_at).toISOString()}"`),
  text ("opt_in_source",                    (row) => row.opt_in_source),
  text ("folded_name",                      (row) => row.folded_name),
  text ("folded_email",                     (row) => row.folded_email),
  text ("folded_company",                   (row) => row.folded_company),
  text ("folded_attributes",                (row) => json(row.folded_attributes)),
];

/** The values of a group, in the order of the columns. */
export function writtenValues(rows: readonly WrittenContact[]): string[] {
  return WRITTEN_COLUMNS.map((column) => column.textOf(rows));
}
