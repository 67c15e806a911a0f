import { Type } from "typebox";
import { withNetworkLockout } from "./network-lockout.ts";
import { type OwnRoute, ok, signedInBeforeSetup } from "./own-routes.ts";
import { cookieHeader, requireSecureTransport } from "./session-request.ts";
import { codeRequired, signIn } from "./sign-in.ts";

const ConfirmBody = Type.Object(
  {
    password: Type.String({ minLength: 1, maxLength: 500 }),
    code: Type.Optional(Type.String({ maxLength: 40 })),
  },
  { additionalProperties: false },
);

/** Confirms the password again before sensitive actions. Wrong passwords count as they do at sign-in. */
export const confirmRoutes: readonly OwnRoute[] = [
  signedInBeforeSetup<{ password: string; code?: string }>(
    "POST",
    "/session/confirm",
    ConfirmBody,
    async ({ deps, exchange, body }, session) => {
      requireSecureTransport(deps.config, exchange.ip);
      const outcome = await withNetworkLockout(deps, exchange.ip, () =>
        signIn(deps, { ...body, email: session.email, ip: exchange.ip }, (tx) =>
          deps.sessions.confirm(tx, session),
        ),
      );
      if ("problem" in outcome) throw outcome.problem;
      if ("needsCode" in outcome) return ok(codeRequired(outcome));
      return ok(
        { object: "sign_in", code_required: false },
        cookieHeader(deps.config, outcome.begun),
      );
    },
  ),
];
