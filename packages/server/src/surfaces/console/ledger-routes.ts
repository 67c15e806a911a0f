import { formatTimestamp, ListQuery, microsToUsd } from "@longwave/contract";
import { type LedgerCursor, type LedgerRow, listLedger } from "../../account/billing/index.ts";
import { pageAnswer, pageRequest } from "../../http/api/pages.ts";
import { parseQuery } from "../../http/body/query.ts";
import { compileSchema } from "../../http/body/validate.ts";
import { checkAction, membershipOf } from "./mounts.ts";
import { type OwnRoute, ok, signedIn } from "./own-routes.ts";

const LedgerQuery = ListQuery({});
const validate = compileSchema(LedgerQuery, "query");

/** Balance movements, newest first. Messages are left out: they are many, and usage sums them by day. */
export const ledgerRoutes: readonly OwnRoute[] = [
  signedIn("GET", "/{account}/ledger", null, async ({ deps, params, exchange }, session) => {
    const { account = "" } = params;
    const membership = membershipOf(session, account);
    checkAction(membership, "ledger.list");
    const { shard, id: accountId } = membership.account;
    const query = parseQuery(exchange.rawQuery, LedgerQuery) as { limit?: number; cursor?: string };
    validate(query);
    const scope = { list: "ledger", owner: accountId, filters: {} };
    const page = pageRequest(deps.secrets, scope, query);
    const after = page.after as LedgerCursor | null;
    const rows = await listLedger(deps.db, { shard, accountId }, after, page.limit + 1);
    return ok(pageAnswer(deps.secrets, scope, page, rows, cursorOf, present));
  }),
];

function cursorOf(row: LedgerRow): LedgerCursor {
  return [formatTimestamp(row.created_at), row.object_id, row.kind, row.period];
}

function present(row: LedgerRow) {
  return {
    object: "ledger_entry",
    id: [row.object_id, row.kind, row.period].join("."),
    kind: row.kind,
    amount_usd: microsToUsd(row.amount_micros),
    note: row.note,
    created_at: formatTimestamp(row.created_at),
  };
}
