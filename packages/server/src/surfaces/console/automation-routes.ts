import { formatTimestamp } from "@longwave/contract";
import { type Static, Type } from "typebox";
import { fromApiId, toApiId } from "../../core/platform/ids.ts";
import { parseQuery } from "../../http/body/query.ts";
import { compileSchema } from "../../http/body/validate.ts";
import { RUNS_COUNTED_MAX, readRunTotals } from "../../messaging/automations/index.ts";
import { checkAction, membershipOf } from "./mounts.ts";
import { type OwnRoute, ok, signedIn } from "./own-routes.ts";

const AUTOMATIONS_MAX = 100;
const ID_CHARS_MAX = 30;
const TotalsQuery = Type.Object(
  { ids: Type.String({ minLength: 1, maxLength: AUTOMATIONS_MAX * (ID_CHARS_MAX + 1) }) },
  { additionalProperties: false },
);
const validate = compileSchema(TotalsQuery, "query");

/** Runs, failures and last run of automations, among the newest runs of each. */
export const automationRoutes: readonly OwnRoute[] = [
  signedIn("GET", "/{account}/automation-runs", null, async (request, session) => {
    const { deps, exchange, params } = request;
    const { account: id = "" } = params;
    const membership = membershipOf(session, id);
    checkAction(membership, "automations.runs");
    const query = parseQuery(exchange.rawQuery, TotalsQuery) as Static<typeof TotalsQuery>;
    validate(query);
    const { account } = membership;
    const ids = query.ids
      .split(",")
      .slice(0, AUTOMATIONS_MAX)
      .flatMap((each) => fromApiId("automation", each) ?? []);
    return deps.withinLimit({ limitKind: "heavy" }, exchange, account.id, async () => {
      const totals = await readRunTotals(deps.db, account, ids);
      return ok({
        object: "automation_runs",
        data: totals.map((row) => ({
          automation_id: toApiId("automation", row.automation_id),
          runs: row.runs,
          failed: row.failed,
          partial: row.runs >= RUNS_COUNTED_MAX,
          last_status: row.last_status,
          last_started_at:
            row.last_started_at === null ? null : formatTimestamp(row.last_started_at),
        })),
      });
    });
  }),
];
