import type { Readable } from "node:stream";
import { CONTACT_COLUMNS, contactCells, type RouteInput } from "@longwave/contract";
import { exportCsv } from "../../http/api/export-csv.ts";
import type { ModedCaller } from "../../http/api/modes.ts";
import type { ContactHandlersDeps as Deps } from "./deps.ts";
import { listContacts } from "./list.ts";

/** Streams the contacts that GET /contacts lists with the same filters as CSV, newest first. */
export function exportContacts(
  deps: Deps,
  caller: ModedCaller,
  query: RouteInput<"exports.contacts">["query"],
): Promise<Readable> {
  return exportCsv(CONTACT_COLUMNS, contactCells, (page) =>
    listContacts(deps, caller, { ...query, ...page }),
  );
}
