import type { Readable } from "node:stream";
import { CONTACT_COLUMNS, type Contact, type RouteInput } from "@longwave/contract";
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
  return exportCsv(CONTACT_COLUMNS, cellsOf, (page) =>
    listContacts(deps, caller, { ...query, ...page }),
  );
}

function cellsOf({ attributes, metadata, opt_in, tags, ...contact }: Contact) {
  return {
    ...contact,
    tags: tags.join("; "),
    attributes: jsonOf(attributes),
    metadata: jsonOf(metadata),
    opt_in_status: opt_in?.status ?? null,
    opt_in_date: opt_in?.date ?? null,
    opt_in_source: opt_in?.source ?? null,
  };
}

/** A cell of pairs; empty without any. */
function jsonOf(pairs: Readonly<Record<string, string>>): string | null {
  return Object.keys(pairs).length === 0 ? null : JSON.stringify(pairs);
}
