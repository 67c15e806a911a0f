import { formatTimestamp, microsToUsd } from "@longwave/contract";
import { type Static, Type } from "typebox";
import { knownCustomerIds } from "../../account/customers/index.ts";
import { monthOf } from "../../core/platform/clock.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { parseQuery } from "../../http/body/query.ts";
import { compileSchema } from "../../http/body/validate.ts";
import { sumByCustomer } from "../usage/index.ts";
import { checkAction, membershipOf, modeOf } from "./mounts.ts";
import { type OwnRoute, ok, signedIn } from "./own-routes.ts";

const CUSTOMERS_MAX = 100;
const ID_CHARS_MAX = 30;
const MonthQuery = Type.Object(
  { ids: Type.String({ minLength: 1, maxLength: CUSTOMERS_MAX * (ID_CHARS_MAX + 1) }) },
  { additionalProperties: false },
);
const validate = compileSchema(MonthQuery, "query");

/** Messages and spend of customers since the start of the calendar month (UTC), as the spend limit counts it. */
export const customerRoutes: readonly OwnRoute[] = [
  signedIn(
    "GET",
    "/{account}/{mode}/customer-months",
    null,
    async ({ deps, exchange, params }, session) => {
      const { account: id = "" } = params;
      const membership = membershipOf(session, id);
      checkAction(membership, "customers.month");
      const mode = modeOf(params["mode"]);
      const query = parseQuery(exchange.rawQuery, MonthQuery) as Static<typeof MonthQuery>;
      validate(query);
      const { account } = membership;
      return deps.withinLimit({ limitKind: "heavy" }, exchange, account.id, async () => {
        const wanted = query.ids.split(",").slice(0, CUSTOMERS_MAX);
        const customerIds = await knownCustomerIds(deps.db, account, wanted);
        const nowMs = deps.clock.now();
        const fromMs = Date.parse(monthOf(nowMs));
        const range = { customerIds, mode, fromMs, beforeMs: nowMs + 1 };
        const sums = await sumByCustomer(deps, account, range);
        return ok({
          object: "customer_months",
          created_after: formatTimestamp(fromMs),
          data: [...sums].map(([customer, { messages, costMicros }]) => ({
            customer_id: toApiId("customer", customer),
            messages,
            spent_usd: microsToUsd(costMicros),
          })),
        });
      });
    },
  ),
];
