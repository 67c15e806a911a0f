import { Readable } from "node:stream";
import { CONTACT_COLUMNS, type CsvValue, csvRow, formatTimestamp } from "@longwave/contract";
import type { AccountRow } from "../accounts/index.ts";
import { optedOutAmong } from "../consent/index.ts";
import { toApiId } from "../platform/ids.ts";
import { type Choice, readChosen } from "./choose.ts";
import type { ContactRow } from "./contact-row.ts";
import type { ContactHandlersDeps as Deps } from "./deps.ts";

const CONTACTS_PER_READ = 500;

/** Contacts as CSV, newest first: read a part at a time, as fast as the client takes it. */
export async function exportContacts(
  deps: Deps,
  account: AccountRow,
  segmentId: string | undefined,
): Promise<Readable> {
  const choice: Choice =
    segmentId === undefined
      ? {}
      : { filter: await deps.segmentFilter(deps.db, account, segmentId) };
  const read = (beforeId: string | null) =>
    readChosen(deps.db, account, choice, beforeId, CONTACTS_PER_READ);
  // The first part is read before the answer begins: a database that is away is still a 503.
  const first = await read(null);
  return Readable.from(linesOf(deps, account, first, read), { objectMode: false });
}

async function* linesOf(
  deps: Deps,
  account: AccountRow,
  first: readonly ContactRow[],
  read: (beforeId: string | null) => Promise<readonly ContactRow[]>,
): AsyncGenerator<string> {
  yield csvRow(CONTACT_COLUMNS);
  for (let rows = first; rows.length > 0; ) {
    const phones = rows.map((row) => row.phone_number);
    const optedOut = await optedOutAmong(deps.db, account, phones, null);
    yield rows.map((row) => csvRow(cellsOf(row, optedOut.has(row.phone_number)))).join("");
    if (rows.length < CONTACTS_PER_READ) return;
    rows = await read(rows.at(-1)?.id ?? null);
  }
}

/** In the order of CONTACT_COLUMNS. */
function cellsOf(row: ContactRow, isOptedOut: boolean): CsvValue[] {
  return [
    toApiId("contact", row.id),
    row.phone_number,
    row.name,
    row.email,
    row.company,
    row.tags.join("; "),
    row.attributes === null ? null : JSON.stringify(row.attributes),
    row.opt_in_status,
    row.opt_in_at === null ? null : formatTimestamp(row.opt_in_at),
    row.opt_in_source,
    isOptedOut,
    formatTimestamp(row.created_at),
    formatTimestamp(row.updated_at),
  ];
}
