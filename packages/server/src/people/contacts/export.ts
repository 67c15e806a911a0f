import { Readable } from "node:stream";
import { CONTACT_COLUMNS, type CsvValue, csvRow, formatTimestamp } from "@longwave/contract";
import { toApiId } from "../../core/platform/ids.ts";
import type { ModedAccount } from "../../http/api/modes.ts";
import { optedOutAmong } from "../consent/index.ts";
import type { ContactRow } from "./contact-row.ts";
import type { ContactHandlersDeps as Deps } from "./deps.ts";
import { type ContactSelection, readSelected } from "./selection.ts";

const CONTACTS_PER_READ = 500;

/** Streams contacts as CSV, newest first, reading CONTACTS_PER_READ at a time at the speed of the client. */
export async function exportContacts(
  deps: Deps,
  account: ModedAccount,
  segmentId: string | undefined,
): Promise<Readable> {
  const selection: ContactSelection =
    segmentId === undefined
      ? {}
      : { filter: await deps.segmentFilter(deps.db, account, segmentId) };
  const read = (beforeId: string | null) =>
    readSelected(deps.db, account, selection, beforeId, CONTACTS_PER_READ);
  // Read once before answering, so that an unavailable database is a 503 rather than a broken body.
  const first = await read(null);
  return Readable.from(linesOf(deps, account, first, read), { objectMode: false });
}

async function* linesOf(
  deps: Deps,
  account: ModedAccount,
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

/** Cells of a row, in the order of CONTACT_COLUMNS. */
function cellsOf(row: ContactRow, isOptedOut: boolean): CsvValue[] {
  return [
    toApiId("contact", row.id),
    row.phone_number,
    row.name,
    row.email,
    row.company,
    row.tags.join("; "),
    row.attributes === null ? null : JSON.stringify(row.attributes),
    row.metadata === null ? null : JSON.stringify(row.metadata),
    row.opt_in_status,
    row.opt_in_at === null ? null : formatTimestamp(row.opt_in_at),
    row.opt_in_source,
    isOptedOut,
    formatTimestamp(row.created_at),
    formatTimestamp(row.updated_at),
  ];
}
