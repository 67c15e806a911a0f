import { normalizePhone, type PortRequestStatus, Problem } from "@longwave/contract";
import { operatorActor, readAccount } from "../../account/accounts/index.ts";
import type { Base } from "../../core/base.ts";
import type { Queryable } from "../../core/db/driver/database.ts";
import { composed, type Fragment, join, raw, sql } from "../../core/db/driver/sql-builder.ts";
import { fromApiId } from "../../core/platform/ids.ts";
import type { HandlersOf } from "../../http/api/handler.ts";
import { type ListScope, pageAnswer, pageRequest } from "../../http/api/pages.ts";
import type { NumberHandlersDeps } from "../numbers/index.ts";
import { checkStep, movePortRequest } from "./move.ts";
import { requirePortRequest } from "./open.ts";
import {
  anyPortRequest,
  lockAnyPortRequest,
  type PortRequestRow,
  portRequestOf,
  presentForOperator,
  presentPortRequest,
} from "./port-request-row.ts";
import { PORT_REQUEST_COLUMNS } from "./sql.ts";

type Names =
  | "portRequests.list"
  | "portRequests.get"
  | "operator.portRequests.create"
  | "operator.portRequests.list"
  | "operator.portRequests.get"
  | "operator.portRequests.update";

export const portRequestHandlers: HandlersOf<Names, NumberHandlersDeps> = {
  "portRequests.list": async ({ deps, caller }, { query }) => {
    const { id } = caller.account;
    const scope = { list: "portRequests.list", owner: id, filters: filtersOf(query) };
    const only = [sql`account_id = ${id}`];
    return { status: 200, body: await listed(deps, scope, query, only, presentPortRequest) };
  },

  "portRequests.get": async ({ deps, caller }, { params }) => ({
    status: 200,
    body: presentPortRequest(await portRequestOf(deps.db, caller.account, params.id)),
  }),

  "operator.portRequests.create": async ({ deps, caller, ip, transact }, { body }) =>
    transact(async (tx) => {
      const account = await accountNamed(tx, body.account_id);
      const changer = { actor: operatorActor(caller), ip };
      const row = await requirePortRequest(deps, tx, account, body, changer);
      return { status: 201, body: presentForOperator(row) };
    }),

  "operator.portRequests.list": async ({ deps }, { query }) => {
    const { account_id } = query;
    const filters = { ...filtersOf(query), account_id };
    const scope = { list: "operator.portRequests.list", owner: "operator", filters };
    const only =
      account_id === undefined
        ? [sql`true`]
        : [sql`account_id = ${(await accountNamed(deps.db, account_id)).id}`];
    return { status: 200, body: await listed(deps, scope, query, only, presentForOperator) };
  },

  "operator.portRequests.get": async ({ deps }, { params }) => ({
    status: 200,
    body: presentForOperator(await anyPortRequest(deps.db, params.id)),
  }),

  "operator.portRequests.update": async ({ deps, caller, ip, transact }, { params, body }) => {
    checkStep(body);
    return transact(async (tx) => {
      const before = await lockAnyPortRequest(tx, params.id);
      const changer = { actor: operatorActor(caller), ip };
      const row = await movePortRequest(deps, tx, before, body, changer);
      return { status: 200, body: presentForOperator(row) };
    });
  },
};

interface Filters {
  readonly status?: PortRequestStatus;
  readonly phone_number?: string;
}

function filtersOf({ status, phone_number }: Filters) {
  return { status, phone_number: phone_number === undefined ? undefined : phoneOf(phone_number) };
}

function phoneOf(given: string): string {
  const phone = normalizePhone(given);
  if (phone !== null) return phone;
  throw new Problem("invalid_request", "phone_number must be a US or Canada number.", {
    param: "phone_number",
  });
}

async function listed<T>(
  deps: Base,
  scope: ListScope,
  query: Filters & { limit?: number; cursor?: string },
  only: readonly Fragment[],
  present: (row: PortRequestRow) => T,
) {
  const page = pageRequest(deps.secrets, scope, query);
  const { status, phone_number } = filtersOf(query);
  const conditions = [...only];
  if (status !== undefined) conditions.push(sql`status = ${status}`);
  if (phone_number !== undefined) conditions.push(sql`phone_number = ${phone_number}`);
  if (page.after) conditions.push(sql`id < ${page.after[0]}::uuid`);
  const rows = await deps.db.query<PortRequestRow>(
    composed(
      "list_port_requests",
      sql`select ${raw(PORT_REQUEST_COLUMNS)} from port_requests
           where ${join(conditions, " and ")} order by id desc limit ${page.limit + 1}`,
    ),
  );
  return pageAnswer(deps.secrets, scope, page, rows, (row) => [row.id], present);
}

/** The account that a body or a filter names, or 400. */
async function accountNamed(db: Queryable, apiId: string) {
  const id = fromApiId("account", apiId);
  const account = id === null ? null : await readAccount(db, id);
  if (account) return account;
  throw new Problem("invalid_request", `There is no account ${apiId.slice(0, 64)}.`, {
    param: "account_id",
  });
}
