import { formatTimestamp, microsToUsd, type OperatorAccount } from "@longwave/contract";
import type { AccountsDeps } from "../../account/accounts/deps.ts";
import {
  type AccountRow,
  accountOf,
  auditOf,
  changeAccount,
  createAccount,
  dailyQuotaOf,
  liveAccessRequestsOf,
  operatorActor,
} from "../../account/accounts/index.ts";
import { record } from "../../account/audit/index.ts";
import { balanceOf } from "../../account/billing/index.ts";
import type { Base } from "../../core/base.ts";
import type { Queryable } from "../../core/db/driver/database.ts";
import { composed, contains, type Fragment, join, sql } from "../../core/db/driver/sql-builder.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { checking, type HandlersOf } from "../../http/api/handler.ts";
import { pageAnswer, pageRequest } from "../../http/api/pages.ts";
import { requireNotBlank } from "../../http/api/parse-fields.ts";
import { deleteAccount } from "./delete-account.ts";

const OPERATOR = "operator";

type Names =
  | "operator.accounts.create"
  | "operator.accounts.list"
  | "operator.accounts.get"
  | "operator.accounts.update"
  | "operator.accounts.delete";

/** Operator calls on accounts. */
export const operatorAccountHandlers: HandlersOf<Names, AccountsDeps> = {
  "operator.accounts.create": checking(
    (_deps, { body }) => requireNotBlank(body.name, "name"),
    async ({ deps, caller, ip, transact }, { body }) => {
      requireNotBlank(body.name, "name");
      return transact(async (tx) => {
        const account = await createAccount(deps, tx, body.name);
        await record(deps, tx, {
          ...auditOf(account, "account.created", { caller, ip }),
          changes: { name: body.name },
        });
        return { status: 201, body: await present(deps, tx, account) };
      });
    },
  ),

  "operator.accounts.list": async ({ deps }, { query }) => {
    const q = query.q?.trim().toLowerCase();
    const scope = {
      list: "operator.accounts.list",
      owner: OPERATOR,
      filters: { status: query.status, live_access: query.live_access, q },
    };
    const page = pageRequest(deps.secrets, scope, query);
    const conditions: Fragment[] = [sql`a.deleted_at is null`];
    if (query.status) conditions.push(sql`a.status = ${query.status}`);
    if (query.live_access) conditions.push(sql`a.live_access = ${query.live_access}`);
    if (q !== undefined) conditions.push(contains("a.name", q));
    if (page.after) conditions.push(sql`a.id < ${page.after[0]}::uuid`);
    const rows = await deps.db.query<AccountRow>(
      composed(
        "list_accounts",
        sql`select a.* from accounts a where ${join(conditions, " and ")}
           order by a.id desc limit ${page.limit + 1}`,
        query.status || query.live_access || q !== undefined ? { profile: "scans" } : {},
      ),
    );
    const answer = pageAnswer(
      deps.secrets,
      scope,
      page,
      rows,
      (row) => [row.id],
      (row) => row,
    );
    const requests = await liveAccessRequestsOf(deps.db, answer.data);
    // The balances are read in groups: one query for the page instead of one per account.
    const data = await Promise.all(
      answer.data.map(async (row) =>
        presentAccount(
          deps,
          row,
          (await deps.balances.add(row)).balanceMicros,
          requests.get(row.id),
        ),
      ),
    );
    return { status: 200, body: { ...answer, data } };
  },

  "operator.accounts.get": async ({ deps }, { params }) => {
    const account = await accountOf(deps.db, params.id);
    return { status: 200, body: await present(deps, deps.db, account) };
  },

  "operator.accounts.update": async ({ deps, caller, ip, transact }, { params, body }) =>
    transact(async (tx) => {
      const { id } = await accountOf(tx, params.id);
      const account = await changeAccount(deps, tx, id, body, { actor: operatorActor(caller), ip });
      return { status: 200, body: await present(deps, tx, account) };
    }),

  "operator.accounts.delete": async (context, { params, query }) =>
    context.transact(async (tx) => {
      const { deps } = context;
      const account = await deleteAccount(context, tx, params.id, query.confirm);
      return { status: 200, body: await present(deps, tx, account) };
    }),
};

async function present(
  deps: Pick<Base, "config">,
  db: Queryable,
  account: AccountRow,
): Promise<OperatorAccount> {
  const balance = await balanceOf(db, { shard: account.shard, accountId: account.id });
  const requests = await liveAccessRequestsOf(db, [account]);
  return presentAccount(deps, account, balance.available_micros, requests.get(account.id));
}

function presentAccount(
  { config }: Pick<Base, "config">,
  account: AccountRow,
  balanceMicros: number,
  request: OperatorAccount["live_access_request"] | undefined,
): OperatorAccount {
  return {
    id: toApiId("account", account.id),
    object: "account",
    name: account.name,
    status: account.status,
    live_access: account.live_access,
    balance_usd: microsToUsd(balanceMicros),
    rate_limit: account.rate_limit,
    daily_message_quota: dailyQuotaOf(config, account),
    live_access_request: request ?? null,
    created_at: formatTimestamp(account.created_at),
  };
}
