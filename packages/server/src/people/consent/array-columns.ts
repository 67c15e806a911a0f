import { columnsOf, rowsOf } from "../../core/db/driver/statement.ts";
import type { EntryRow, StateRow } from "./consent-row.ts";

const entry = columnsOf<EntryRow>();
const state = columnsOf<StateRow>();
const hex = (hash: Buffer | null) => hash?.toString("hex") ?? null;
const timestampJson = (ms: number | null) =>
  ms === null ? null : `"${new Date(ms).toISOString()}"`;

/** One array per column of ledger entries: PostgreSQL parses arrays faster than JSON. Hashes are hexadecimal. */
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
  entry.plain("given_at",      "timestamptz", (row) => timestampJson(row.given_at)),
  entry.plain("message_id",    "uuid",        (row) => row.message_id),
  entry.text ("texted_number",                (row) => row.texted_number),
  entry.text ("carrier",                      (row) => row.carrier),
  entry.plain("basis",         "text",        (row) => row.basis),
  entry.plain("expires_at",    "timestamptz", (row) => timestampJson(row.expires_at)),
  entry.text ("evidence",                     (row) => (row.evidence === null ? null : JSON.stringify(row.evidence))),
  entry.text ("recorded_by",                  (row) => row.recorded_by),
  entry.plain("previous_hash", "text",        (row) => hex(row.previous_hash)),
  entry.plain("hash",          "text",        (row) => hex(row.hash)),
  entry.plain("chain_hash",    "text",        (row) => hex(row.chain_hash)),
];

/** One array per column of states. */
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
  state.plain("basis",        "text",   (row) => row.basis),
  state.plain("expires_at",   "timestamptz", (row) => timestampJson(row.expires_at)),
  state.text ("recorded_by",            (row) => row.recorded_by),
];

export const entryRows = (first: number) => rowsOf(ENTRY_COLUMNS, first, "e");
export const stateRows = (first: number) => rowsOf(STATE_COLUMNS, first, "s");
/** Number of entry parameters; state parameters follow them. */
export const ENTRY_COLUMNS_COUNT = ENTRY_COLUMNS.length;

/** Parameters of entries and of the states they result in, in statement order. */
export function ledgerValues(
  entries: readonly EntryRow[],
  states: readonly StateRow[],
): readonly string[] {
  return [
    ...ENTRY_COLUMNS.map((column) => column.textOf(entries)),
    ...STATE_COLUMNS.map((column) => column.textOf(states)),
  ];
}
