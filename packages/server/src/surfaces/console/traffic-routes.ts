import { type ConsoleAction, DELIVERABILITY_HOURS_MAX } from "@longwave/contract";
import { readDeliverability } from "../../messaging/deliverability/index.ts";
import { numberOf, poolOf } from "../../network/numbers/index.ts";
import { checkAction, membershipOf, modeOf } from "./mounts.ts";
import { type ConsoleDeps, type OwnRoute, ok, signedIn } from "./own-routes.ts";
import type { Membership } from "./sessions.ts";

type NumbersOf = (
  deps: ConsoleDeps,
  account: Membership["account"],
  id: string,
) => Promise<readonly string[]>;

/** What left from one number, or from the members of a pool, in the last 30 days. */
export const trafficRoutes: readonly OwnRoute[] = [
  trafficOf("/numbers/{id}/traffic", "numbers.traffic", async (deps, account, id) => {
    const { phone_number: number } = await numberOf(deps.db, account, id);
    return [number];
  }),
  trafficOf("/pools/{id}/traffic", "pools.traffic", async (deps, account, id) => {
    const { numbers } = await poolOf(deps.db, account, id, "read");
    return numbers;
  }),
];

/** Counted like all of the account's traffic, in turn with the account's calls that do the same. */
function trafficOf(path: string, action: ConsoleAction, numbersOf: NumbersOf): OwnRoute {
  return signedIn(
    "GET",
    `/{account}/{mode}${path}`,
    null,
    ({ deps, params, exchange }, session) => {
      const { account: accountId = "", id = "" } = params;
      const membership = membershipOf(session, accountId);
      checkAction(membership, action);
      const { account } = membership;
      const mode = modeOf(params["mode"]);
      return deps.withinLimit({ limitKind: "heavy" }, exchange, account.id, async () => {
        const numbers = await numbersOf(deps, account, id);
        const hours = DELIVERABILITY_HOURS_MAX;
        return ok(await readDeliverability(deps, { account, mode, hours, numbers }));
      });
    },
  );
}
