import {
  foldCase,
  formatTimestamp,
  Problem,
  type RouteInput,
  SNIPPETS_MAX,
  type Snippet,
} from "@longwave/contract";
import { type AccountRow, recordBy } from "../../account/accounts/index.ts";
import { changesBetween } from "../../account/audit/index.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { composed, raw, sql } from "../../core/db/driver/sql-builder.ts";
import { expect } from "../../core/platform/assert.ts";
import { fromApiId, toApiId } from "../../core/platform/ids.ts";
import type { HandlersOf } from "../../http/api/handler.ts";
import { pageAnswer, pageRequest } from "../../http/api/pages.ts";
import { requireNotBlank } from "../../http/api/parse-fields.ts";
import {
  countSnippets,
  deleteSnippet,
  findSnippetName,
  insertSnippet,
  lockAccount,
  lockSnippet,
  SNIPPET_COLUMNS,
  updateSnippet,
} from "./sql.ts";

type Names = "snippets.list" | "snippets.create" | "snippets.update" | "snippets.delete";
type Body = Partial<RouteInput<"snippets.create">["body"]>;

interface SnippetRow {
  readonly id: string;
  readonly name: string;
  readonly folded_name: string;
  readonly body: string;
  readonly created_at: number;
  readonly updated_at: number;
}

/** Saved replies. Names are unique in any case, so that a list never shows two alike. */
export const snippetHandlers: HandlersOf<Names> = {
  "snippets.list": async ({ deps, caller }, { query }) => {
    const { account } = caller;
    const scope = { list: "snippets.list", owner: account.id, filters: {} };
    const page = pageRequest(deps.secrets, scope, query);
    const after = page.after ? sql`and folded_name > ${page.after[0]}` : sql``;
    const rows = await deps.db.query<SnippetRow>(
      composed(
        "list_snippets",
        sql`select ${raw(SNIPPET_COLUMNS)} from snippets
             where shard = ${account.shard} and account_id = ${account.id} ${after}
             order by folded_name limit ${page.limit + 1}`,
      ),
    );
    const keyOf = (row: SnippetRow) => [row.folded_name];
    return { status: 200, body: pageAnswer(deps.secrets, scope, page, rows, keyOf, present) };
  },

  "snippets.create": async (context, { body }) => {
    const { deps, caller, transact } = context;
    requireFields(body);
    return transact(async (tx) => {
      const { account } = caller;
      const owner = [account.shard, account.id];
      await tx.query(lockAccount, owner);
      const [count] = await tx.query<{ snippets: number }>(countSnippets, owner);
      if ((count?.snippets ?? 0) >= SNIPPETS_MAX) {
        throw new Problem(
          "limit_reached",
          `An account has at most ${SNIPPETS_MAX} snippets. Delete one that is no longer used.`,
        );
      }
      const now = deps.clock.now();
      const name = body.name.trim();
      const values = [
        ...owner,
        deps.ids.makeAt(now),
        name,
        foldCase(name),
        body.body,
        new Date(now),
      ];
      const [row] = await tx.query<SnippetRow>(insertSnippet, values);
      if (!row) throw nameTaken(name);
      await recordBy(context, tx, "snippet.created", toApiId("snippet", row.id), { name });
      return { status: 201, body: present(row) };
    });
  },

  "snippets.update": async (context, { params, body }) => {
    const { deps, caller, transact } = context;
    requireFields(body);
    return transact(async (tx) => {
      const { account } = caller;
      await tx.query(lockAccount, [account.shard, account.id]);
      const before = await lockedSnippet(tx, account, params.id);
      const name = body.name?.trim() ?? before.name;
      const wanted = { ...before, name, body: body.body ?? before.body };
      const changes = changesBetween(present(before), present(wanted));
      if (changes === null) return { status: 200, body: present(before) };
      const key = [account.shard, account.id, foldCase(name)];
      const [other] = await tx.query<{ id: string }>(findSnippetName, key);
      if (other && other.id !== before.id) throw nameTaken(name);
      const now = new Date(deps.clock.now());
      const owner = [account.shard, account.id, before.id];
      const values = [...owner, name, foldCase(name), wanted.body, now];
      const [row] = await tx.query<SnippetRow>(updateSnippet, values);
      await recordBy(context, tx, "snippet.updated", params.id, changes);
      return { status: 200, body: present(expect(row, "a locked snippet is gone")) };
    });
  },

  "snippets.delete": async (context, { params }) => {
    const { caller, transact } = context;
    return transact(async (tx) => {
      const { account } = caller;
      const row = await lockedSnippet(tx, account, params.id);
      await tx.query(deleteSnippet, [account.shard, account.id, row.id]);
      await recordBy(context, tx, "snippet.deleted", params.id, { name: row.name });
      return { status: 200, body: present(row) };
    });
  },
};

function requireFields({ name, body }: Body): void {
  if (name !== undefined) requireNotBlank(name, "name");
  if (body !== undefined) requireNotBlank(body, "body");
}

async function lockedSnippet(tx: Tx, account: AccountRow, apiId: string): Promise<SnippetRow> {
  const id = fromApiId("snippet", apiId);
  const values = [account.shard, account.id, id];
  const [row] = id === null ? [] : await tx.query<SnippetRow>(lockSnippet, values);
  if (!row) throw new Problem("not_found", `There is no snippet ${apiId.slice(0, 64)}.`);
  return row;
}

function nameTaken(name: string): Problem {
  return new Problem("already_exists", `There is a snippet named “${name}” already.`, {
    param: "name",
  });
}

function present(row: SnippetRow): Snippet {
  return {
    id: toApiId("snippet", row.id),
    object: "snippet",
    name: row.name,
    body: row.body,
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
  };
}
