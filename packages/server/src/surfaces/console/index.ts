import type { Base } from "../base.ts";
import type { Calls } from "../http/calls.ts";
import { networkOf } from "../http/client-address.ts";
import type { Entrance } from "../http/entrances.ts";
import type { Exchange } from "../http/exchange.ts";
import type { Gate } from "../http/gate.ts";
import type { OwnWork } from "../http/plain-route.ts";
import { accountRoutes } from "./account-routes.ts";
import { confirmRoutes } from "./confirm-routes.ts";
import { homeRoutes } from "./home-routes.ts";
import { joinRoutes } from "./join-routes.ts";
import { ledgerRoutes } from "./ledger-routes.ts";
import { createMailer } from "./mail.ts";
import { meRoutes } from "./me-routes.ts";
import { memberRoutes } from "./member-routes.ts";
import { consoleEntrances } from "./mounts.ts";
import type { ConsoleDeps } from "./own-routes.ts";
import { requestRoutes } from "./request-routes.ts";
import { resetRoutes } from "./reset-routes.ts";
import { searchRoutes } from "./search-routes.ts";
import { sessionRoutes } from "./session-routes.ts";
import { createSessions } from "./sessions.ts";
import { trafficRoutes } from "./traffic-routes.ts";
import { viewRoutes } from "./view-routes.ts";
import { tokenOf } from "./visitor.ts";

export { createConsoleFiles } from "./files.ts";
export { consoleLink, firstLink } from "./first-link.ts";

export interface Console {
  readonly entrances: readonly Entrance[];
  readonly ownRoutes: readonly OwnWork[];
}

/** The console's calls: the API's routes for people, and those about people themselves. */
export function createConsole(
  base: Base,
  gate: Gate,
  { inTurn, call }: Pick<Calls, "inTurn" | "call">,
): Console {
  const [sessions, mailer] = [createSessions(base), createMailer(base)];
  const deps: ConsoleDeps = { ...base, sessions, mailer, inTurn, calls: { call } };
  const own = [
    ...sessionRoutes,
    ...confirmRoutes,
    ...joinRoutes,
    ...meRoutes,
    ...memberRoutes,
    ...homeRoutes,
    ...ledgerRoutes,
    ...requestRoutes,
    ...resetRoutes,
    ...searchRoutes,
    ...accountRoutes,
    ...trafficRoutes,
    ...viewRoutes,
  ];
  return {
    entrances: consoleEntrances(deps),
    ownRoutes: own.map(({ method, path, handle }) => ({
      method,
      path,
      work: async (exchange) => {
        const holder = await gateHolderOf(deps, exchange);
        return gate.pass(holder, exchange, () => handle(deps, exchange));
      },
    })),
  };
}

/** With whose calls one takes turns: the person's who is signed in, else those of the same address. */
async function gateHolderOf(deps: ConsoleDeps, exchange: Exchange): Promise<string> {
  const token = tokenOf(deps.config, exchange.request);
  // That the gate asks does not count as use of the session.
  const session = token === null ? null : await deps.sessions.find(token, false);
  return session?.userId ?? networkOf(exchange.ip);
}
