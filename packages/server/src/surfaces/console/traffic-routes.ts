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

/** Messages of the last 30 days sent from a number, or from the members of a pool. */
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

/** Uses the concurrency slot of heavy calls, because it counts the account's messages. */
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
