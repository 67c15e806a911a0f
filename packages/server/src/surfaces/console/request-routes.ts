import { formatTimestamp, ListQuery, StringEnum } from "@longwave/contract";
import { type Static, Type } from "typebox";
import { fromApiId, toApiId, uuidTime } from "../../core/platform/ids.ts";
import { pageAnswer, pageRequest, sealCursor } from "../../http/api/pages.ts";
import { parseQuery } from "../../http/body/query.ts";
import { compileSchema } from "../../http/body/validate.ts";
import { type RequestRow, readRequests } from "../../http/request-log/index.ts";
import { checkAction, membershipOf, modeOf } from "./mounts.ts";
import { type OwnRoute, ok, type SessionRequest, signedIn } from "./own-routes.ts";
import type { Session } from "./sessions.ts";

const METHODS = ["GET", "POST", "PATCH", "PUT", "DELETE"] as const;

const RequestsQuery = ListQuery({
  request_id: Type.Optional(Type.String({ maxLength: 64 })),
  method: Type.Optional(StringEnum(METHODS)),
  status: Type.Optional(Type.String({ pattern: "^[1-5](xx|\\d\\d)$" })),
  code: Type.Optional(Type.String({ maxLength: 64 })),
  key: Type.Optional(Type.String({ maxLength: 64 })),
  path: Type.Optional(Type.String({ maxLength: 300 })),
});
type RequestsQuery = Static<typeof RequestsQuery>;
const validate = compileSchema(RequestsQuery, "query");

/**
 * API requests of the account, newest first. A page of a search may hold fewer items than the limit, or none,
 * although more follow: `searched_to` says how far back the search has come.
 */
export const requestRoutes: readonly OwnRoute[] = [
  signedIn("GET", "/{account}/{mode}/requests", null, (request, session) => {
    const { deps, exchange } = request;
    const { account, mode } = accountAndMode(request, session);
    const query = parseQuery(exchange.rawQuery, RequestsQuery) as RequestsQuery;
    validate(query);
    const { limit: _limit, cursor: _cursor, ...filters } = query;
    const limitKind = Object.keys(filters).length === 0 ? "list" : "heavy";
    return deps.withinLimit({ limitKind }, exchange, account.id, async () => {
      const scope = { list: "requests", owner: `${account.id}.${mode}`, filters };
      const page = pageRequest(deps.secrets, scope, query);
      const { rows, searchedToId } = await readRequests(deps.db, {
        shard: account.shard,
        accountId: account.id,
        mode,
        belowId: page.after === null ? null : String(page.after[0]),
        limit: page.limit + 1,
        ...filtersOf(query),
      });
      // Bodies only come with the one request that somebody looks at.
      const presentRow = query.request_id === undefined ? present : presentWhole;
      const answer = pageAnswer(deps.secrets, scope, page, rows, (row) => [row.id], presentRow);
      if (searchedToId === null) return ok({ ...answer, searched_to: null });
      return ok({
        ...answer,
        has_more: true,
        next_cursor: sealCursor(deps.secrets, scope, [searchedToId]),
        searched_to: formatTimestamp(uuidTime(searchedToId)),
      });
    });
  }),
];

function accountAndMode({ params }: SessionRequest<unknown>, session: Session) {
  const { account: id = "", mode = "" } = params;
  const membership = membershipOf(session, id);
  checkAction(membership, "requests.list");
  return { account: membership.account, mode: modeOf(mode) };
}

/** Stands for an id of the wrong form: no row has it. */
const UNMATCHABLE_ID = "00000000-0000-0000-0000-000000000000";

function filtersOf(query: RequestsQuery) {
  const { request_id, method, status, code, key, path } = query;
  return {
    ...(request_id === undefined ? {} : { id: requestUuid(request_id) }),
    ...(method === undefined ? {} : { method }),
    ...(status === undefined ? {} : { status: Number(status.replace("xx", "")) }),
    ...(code === undefined ? {} : { code }),
    ...(key === undefined ? {} : { keyId: fromApiId("api_key", key) ?? UNMATCHABLE_ID }),
    ...(path === undefined ? {} : { path }),
  };
}

function requestUuid(id: string): string {
  return fromApiId("request", id.trim()) ?? UNMATCHABLE_ID;
}

function present(row: RequestRow) {
  return {
    object: "request",
    id: toApiId("request", row.id),
    method: row.method,
    path: row.path,
    status: row.status,
    code: row.code,
    param: row.param,
    message: row.message,
    duration_ms: row.duration_ms,
    replayed: row.is_replayed,
    key: { id: toApiId("api_key", row.key_id), name: row.key_name },
    created_at: formatTimestamp(uuidTime(row.id)),
  };
}

/** Bodies are JSON, cut at 2 KB: the text may be no JSON any more. */
function presentWhole(row: RequestRow) {
  return { ...present(row), body: row.body, answer: row.answer };
}
