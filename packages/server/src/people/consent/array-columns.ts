import { columnsOf, rowsOf } from "../db/statement.ts";
import type { EntryRow, StateRow } from "./consent-row.ts";

const entry = columnsOf<EntryRow>();
const state = columnsOf<StateRow>();
const hex = (hash: Buffer | null) => hash?.toString("hex") ?? null;
const moment = (ms: number | null) => (ms === null ? null : `"${new Date(ms).toISOString()}"`);

/** Entries as arrays, a column at a time: quicker to read for PostgreSQL than JSON. Hashes go in hex. */
// biome-ignore format: read as a table
const ENTRY_COLUMNS = [
  entry.plain("seq",           "bigint",      (row) => row.seq),
  entry.plain("id",            "uuid",        (row) => row.id),
  entry.text ("phone_number",                 (row) => row.phone_number),
  entry.plain("number_seq",    "integer",     (row) => row.number_seq),
  entry.plain("customer_id",   "uuid",        (row) => row.customer_id),
  entry.plain("status",        "text",        (row) => row.status),
  entry.text ("source",                       (row) => row.source),
  entry.plain("match",         "text",        (row) => row.match),
  entry.text ("keyword",                      (row) => row.keyword),
  entry.text ("note",                         (row) => row.note),
  entry.plain("given_at",      "timestamptz", (row) => moment(row.given_at)),
  entry.plain("message_id",    "uuid",        (row) => row.message_id),
  entry.text ("texted_number",                (row) => row.texted_number),
  entry.text ("carrier",                      (row) => row.carrier),
  entry.text ("recorded_by",                  (row) => row.recorded_by),
  entry.plain("previous_hash", "text",        (row) => hex(row.previous_hash)),
  entry.plain("hash",          "text",        (row) => hex(row.hash)),
  entry.plain("chain_hash",    "text",        (row) => hex(row.chain_hash)),
];

/** The same of states. */
// biome-ignore format: read as a table
const STATE_COLUMNS = [
  state.text ("phone_number",           (row) => row.phone_number),
  state.plain("customer_id",  "uuid",   (row) => row.customer_id),
  state.plain("status",       "text",   (row) => row.status),
  state.plain("seq",          "bigint", (row) => row.seq),
  state.plain("first_seq",    "bigint", (row) => row.first_seq),
  state.text ("source",                 (row) => row.source),
  state.plain("match",        "text",   (row) => row.match),
  state.text ("note",                   (row) => row.note),
  state.text ("recorded_by",            (row) => row.recorded_by),
];

export const entryRows = (first: number) => rowsOf(ENTRY_COLUMNS, first, "e");
export const stateRows = (first: number) => rowsOf(STATE_COLUMNS, first, "s");
/** So many parameters come before those of the states. */
export const ENTRY_COLUMNS_COUNT = ENTRY_COLUMNS.length;

/** What the statement takes for entries and the states they lead to, in the order of its parameters. */
export function writtenValues(
  entries: readonly EntryRow[],
  states: readonly StateRow[],
): readonly string[] {
  return [
    ...ENTRY_COLUMNS.map((column) => column.textOf(entries)),
    ...STATE_COLUMNS.map((column) => column.textOf(states)),
  ];
}
