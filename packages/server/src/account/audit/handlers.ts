import { Readable } from "node:stream";
import { AUDIT_LOG_COLUMNS, csvRow, Problem } from "@longwave/contract";
import type { HandlersOf } from "../api/handler.ts";
import { pageAnswer, pageRequest } from "../api/pages.ts";
import type { Base } from "../base.ts";
import type { AccountRef } from "../db/account-cache.ts";
import { statement } from "../db/statement.ts";
import { fromApiId } from "../platform/ids.ts";
import { type EntryRow, exportedEntry, presentEntry } from "./entry-row.ts";
import { type EntryFilters, readEntries } from "./read.ts";

const ROWS_PER_READ = 500;

type Names = "auditLogs.list" | "exports.auditLog" | "operator.auditLogs.list";

/** Directories are small, and this one is asked by its key. */
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
  const scope = { list, owner: account?.id ?? "installation", filters: { ...filters } };
  const page = pageRequest(deps.secrets, scope, query);
  const belowId = (page.after?.[0] as string | undefined) ?? null;
  const rows = await readEntries(deps.db, account, filters, { belowId }, page.limit + 1);
  return pageAnswer(deps.secrets, scope, page, rows, (row) => [row.id], presentEntry);
}

/** The log as CSV, oldest first: read a part at a time, as fast as the client takes it. */
async function exportEntries(
  deps: Base,
  account: AccountRef,
  filters: EntryFilters,
): Promise<Readable> {
  const read = (aboveSeq: number) =>
    readEntries(deps.db, account, filters, { aboveSeq }, ROWS_PER_READ);
  // The first part is read before the answer begins: a database that is away is still a 503.
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
    "account_id names no account. GET /operator/v1/accounts lists them.",
    {
      param: "account_id",
    },
  );
}
