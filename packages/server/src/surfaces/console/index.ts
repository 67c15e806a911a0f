import type { Base } from "../../core/base.ts";
import { networkOf } from "../../http/exchange/client-address.ts";
import type { Exchange } from "../../http/exchange/exchange.ts";
import type { AnonymousConcurrency } from "../../http/limits/anonymous-concurrency.ts";
import type { Calls } from "../../http/server/calls.ts";
import type { Mount } from "../../http/server/mounts.ts";
import type { OwnRoute } from "../../http/server/router.ts";
import { accountRoutes } from "./account-routes.ts";
import { automationRoutes } from "./automation-routes.ts";
import { confirmRoutes } from "./confirm-routes.ts";
import { customerRoutes } from "./customer-routes.ts";
import { homeRoutes } from "./home-routes.ts";
import { installationRoutes } from "./installation-routes.ts";
import { joinRoutes } from "./join-routes.ts";
import { ledgerRoutes } from "./ledger-routes.ts";
import { meRoutes } from "./me-routes.ts";
import { memberRoutes } from "./member-routes.ts";
import { consoleMounts } from "./mounts.ts";
import { nameRoutes } from "./name-routes.ts";
import { objectNameRoutes } from "./object-name-routes.ts";
import type { ConsoleDeps } from "./own-routes.ts";
import { passkeyRoutes } from "./passkey-routes.ts";
import { readinessRoutes } from "./readiness-routes.ts";
import { requestRoutes } from "./request-routes.ts";
import { resetRoutes } from "./reset-routes.ts";
import { searchRoutes } from "./search-routes.ts";
import { tokenOf } from "./session-request.ts";
import { sessionRoutes } from "./session-routes.ts";
import { createSessions } from "./sessions.ts";
import { trafficRoutes } from "./traffic-routes.ts";
import { viewRoutes } from "./view-routes.ts";

export type { OperatorPeopleDeps } from "./deps.ts";
export { createConsoleFiles } from "./files.ts";
export { consoleLink, firstLink } from "./first-link.ts";
export { createMailer } from "./mail.ts";
export { memberNames } from "./member-names.ts";
export { mailNotices, NOTICE_KINDS } from "./notices.ts";
export { operatorInvitationHandlers } from "./operator-invitations.ts";
export { operatorRoleHandlers } from "./operators.ts";

export interface Console {
  readonly mounts: readonly Mount[];
  readonly ownRoutes: readonly OwnRoute[];
}

/** The console's mounts: the API's routes with a session, and the console's own routes. */
export function createConsole(
  base: Base & Pick<ConsoleDeps, "readiness" | "mailer">,
  concurrency: AnonymousConcurrency,
  { withinLimit, call }: Pick<Calls, "withinLimit" | "call">,
): Console {
  const deps: ConsoleDeps = {
    ...base,
    sessions: createSessions(base),
    withinLimit,
    calls: { call },
  };
  const own = [
    ...sessionRoutes,
    ...confirmRoutes,
    ...joinRoutes,
    ...meRoutes,
    ...passkeyRoutes,
    ...memberRoutes,
    ...customerRoutes,
    ...homeRoutes,
    ...installationRoutes,
    ...ledgerRoutes,
    ...automationRoutes,
    ...nameRoutes,
    ...objectNameRoutes,
    ...readinessRoutes,
    ...requestRoutes,
    ...resetRoutes,
    ...searchRoutes,
    ...accountRoutes,
    ...trafficRoutes,
    ...viewRoutes,
  ];
  return {
    mounts: consoleMounts(deps),
    ownRoutes: own.map(({ method, path, handle }) => ({
      method,
      path,
      work: async (exchange) => {
        const holder = await concurrencyKeyOf(deps, exchange);
        return concurrency.run(holder, exchange, () => handle(deps, exchange));
      },
    })),
  };
}

/** Key of the concurrency limit: the user who is signed in, else the network of the address. */
async function concurrencyKeyOf(deps: ConsoleDeps, exchange: Exchange): Promise<string> {
  const token = tokenOf(deps.config, exchange.request);
  // The lookup for the limit does not count as use of the session.
  const session = token === null ? null : await deps.sessions.find(token, false);
  return session?.userId ?? networkOf(exchange.ip);
}
