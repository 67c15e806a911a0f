import { Readable } from "node:stream";
import { AUDIT_LOG_COLUMNS, csvRow, Problem } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { fromApiId } from "../../core/platform/ids.ts";
import type { HandlersOf } from "../../http/api/handler.ts";
import { pageAnswer, pageRequest } from "../../http/api/pages.ts";
import { parseTimestampParam } from "../../http/api/parse-fields.ts";
import { type EntryRow, exportedEntry, presentEntry } from "./entry-row.ts";
import { type EntryFilters, readEntries } from "./read.ts";

const ROWS_PER_READ = 500;

type Names = "auditLogs.list" | "exports.auditLog" | "operator.auditLogs.list";

/** A shard's directory is small, and this query searches it by primary key. */
const findShard = statement("find_audited_account", "select id, shard from accounts where id = $1");

export const auditHandlers: HandlersOf<Names> = {
  "auditLogs.list": async ({ deps, caller }, { query }) => ({
    status: 200,
    body: await listEntries(deps, "auditLogs.list", caller.account, query),
  }),

  "exports.auditLog": async ({ deps, caller }, { query }) => ({
    status: 200,
    body: await exportEntries(deps, caller.account, query),
    headers: {
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": 'attachment; filename="audit_log.csv"',
    },
  }),

  "operator.auditLogs.list": async ({ deps }, { query }) => {
    const { account_id, ...rest } = query;
    const account = account_id === undefined ? null : await accountOf(deps, account_id);
    return { status: 200, body: await listEntries(deps, "operator.auditLogs.list", account, rest) };
  },
};

async function listEntries(
  deps: Base,
  list: string,
  account: AccountRef | null,
  query: EntryFilters & { limit?: number; cursor?: string },
) {
  const { limit: _limit, cursor: _cursor, ...filters } = query;
  const times = {
    created_after: parseTimestampParam(filters.created_after, "created_after"),
    created_before: parseTimestampParam(filters.created_before, "created_before"),
  };
  const owner = account?.id ?? "installation";
  const scope = { list, owner, filters: { ...filters, ...times } };
  const page = pageRequest(deps.secrets, scope, query);
  const belowId = (page.after?.[0] as string | undefined) ?? null;
  const rows = await readEntries(deps.db, account, filters, { belowId }, page.limit + 1);
  return pageAnswer(deps.secrets, scope, page, rows, (row) => [row.id], presentEntry);
}

/** The log as CSV, oldest first: read part by part, as fast as the client reads. */
async function exportEntries(
  deps: Base,
  account: AccountRef,
  filters: EntryFilters,
): Promise<Readable> {
  const read = (aboveSeq: number) =>
    readEntries(deps.db, account, filters, { aboveSeq }, ROWS_PER_READ);
  // The first part is read before the answer starts: an unavailable database is still a 503.
  return Readable.from(linesOf(await read(0), read), { objectMode: false });
}

async function* linesOf(
  first: readonly EntryRow[],
  read: (aboveSeq: number) => Promise<readonly EntryRow[]>,
): AsyncGenerator<string> {
  yield csvRow(AUDIT_LOG_COLUMNS);
  for (let rows = first; rows.length > 0; rows = await read(rows.at(-1)?.seq ?? 0)) {
    yield rows.map(lineOf).join("");
  }
}

function lineOf(row: EntryRow): string {
  const entry = exportedEntry(row);
  return csvRow(AUDIT_LOG_COLUMNS.map((column) => entry[column]));
}

async function accountOf(deps: Base, apiId: string): Promise<AccountRef> {
  const id = fromApiId("account", apiId);
  const [account] = id ? await deps.db.query<AccountRef>(findShard, [id]) : [];
  if (account) return account;
  throw new Problem(
    "invalid_request",
    "account_id names no account. Use the id of one that GET /operator/v1/accounts lists.",
    {
      param: "account_id",
    },
  );
}
