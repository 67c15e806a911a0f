import { Problem } from "@longwave/contract";
import { actorOf } from "../../account/accounts/index.ts";
import { record } from "../../account/audit/index.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { composed, raw, sql } from "../../core/db/driver/sql-builder.ts";
import { fromApiId, toApiId } from "../../core/platform/ids.ts";
import type { HandlersOf } from "../../http/api/handler.ts";
import { pageAnswer, pageRequest } from "../../http/api/pages.ts";
import type { ImporterDeps } from "./deps.ts";
import { EMPTY_PLAN, endLostRuns, type ImportRow, presentImport, providerOf } from "./runs.ts";
import { cancelImport, findImport, IMPORT_COLUMNS, insertImport } from "./sql.ts";

type Names = "imports.create" | "imports.list" | "imports.get" | "imports.cancel";

export const importHandlers: HandlersOf<Names, ImporterDeps> = {
  "imports.create": async ({ deps, caller, ip, transact }, { body }) => {
    const { account } = caller;
    const { provider, dry_run = false, ...credentials } = body;
    const missing = providerOf(provider).needs.find((field) => credentials[field] === undefined);
    if (missing !== undefined) {
      throw new Problem("invalid_request", `${missing} is missing: ${provider} needs it.`, {
        param: missing,
      });
    }
    await endLostRuns(deps, account.shard);
    let made: ImportRow | undefined;
    const answer = await transact(async (tx) => {
      const now = deps.clock.now();
      const [row] = await tx.query<ImportRow>(insertImport, [
        account.shard,
        account.id,
        deps.ids.makeAt(now),
        provider,
        dry_run,
        JSON.stringify(EMPTY_PLAN),
        new Date(now),
      ]);
      if (!row) {
        const message =
          "An import of this account is running. Read it, and start the next one after it.";
        throw new Problem("invalid_state", message);
      }
      await record(deps, tx, {
        shard: account.shard,
        accountId: account.id,
        action: "import.started",
        actor: actorOf(caller),
        targetId: toApiId("account_import", row.id),
        changes: { provider, dry_run },
        ip,
      });
      made = row;
      return { status: 202 as const, body: presentImport(row) };
    });
    // Starts after the commit. A replayed request does not get here.
    if (made) deps.imports.start({ row: made, account, credentials, actor: actorOf(caller), ip });
    return answer;
  },

  "imports.list": async ({ deps, caller }, { query }) => {
    const { account } = caller;
    const scope = { list: "imports.list", owner: account.id, filters: {} };
    const page = pageRequest(deps.secrets, scope, query);
    const after = page.after ? sql`and id < ${page.after[0]}::uuid` : sql``;
    const rows = await deps.db.query<ImportRow>(
      composed(
        "list_account_imports",
        sql`select ${raw(IMPORT_COLUMNS)} from account_imports
             where shard = ${account.shard} and account_id = ${account.id} ${after}
             order by id desc limit ${page.limit + 1}`,
      ),
    );
    const body = pageAnswer(deps.secrets, scope, page, rows, (row) => [row.id], presentImport);
    return { status: 200, body };
  },

  "imports.get": async ({ deps, caller }, { params }) => {
    return { status: 200, body: presentImport(await importOf(deps.db, caller.account, params.id)) };
  },

  "imports.cancel": async ({ deps, caller, ip, transact }, { params }) => {
    const { account } = caller;
    const { id } = await importOf(deps.db, account, params.id);
    return transact(async (tx) => {
      const values = [account.shard, account.id, id, new Date(deps.clock.now())];
      const [canceled] = await tx.query<ImportRow>(cancelImport, values);
      if (!canceled) return { status: 200, body: presentImport(await canceledBefore(tx, values)) };
      await record(deps, tx, {
        shard: account.shard,
        accountId: account.id,
        action: "import.canceled",
        actor: actorOf(caller),
        targetId: toApiId("account_import", id),
        changes: { made: canceled.phase === "writing" ? canceled.done : 0 },
        ip,
      });
      return { status: 200, body: presentImport(canceled) };
    });
  },
};

type Owner = Pick<ImportRow, "shard" | "id">;

async function importOf(db: Pick<Tx, "query">, { shard, id: accountId }: Owner, given: string) {
  const id = fromApiId("account_import", given);
  const [row] = id ? await db.query<ImportRow>(findImport, [shard, accountId, id]) : [];
  if (!row) throw new Problem("not_found", `There is no import ${given.slice(0, 64)}.`);
  return row;
}

/**
 * Answers the cancellation of an import that does not run: idempotent if canceled, refused if it ended
 * otherwise.
 */
async function canceledBefore(tx: Tx, key: readonly unknown[]): Promise<ImportRow> {
  const [row] = await tx.query<ImportRow>(findImport, key.slice(0, 3));
  if (row?.status === "canceled") return row;
  throw new Problem("invalid_state", "The import has ended: there is nothing left to stop.");
}
