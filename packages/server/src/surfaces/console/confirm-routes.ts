import { Type } from "typebox";
import { countingMisses } from "./network-lockout.ts";
import { type OwnRoute, ok, signedIn } from "./own-routes.ts";
import { checkSafeLine, cookieHeader } from "./session-request.ts";
import { signIn } from "./sign-in.ts";

const ConfirmBody = Type.Object(
  {
    password: Type.String({ minLength: 1, maxLength: 500 }),
    code: Type.Optional(Type.String({ maxLength: 40 })),
  },
  { additionalProperties: false },
);

/** The password again, before what takes more than an open session. Misses count as at the sign-in. */
export const confirmRoutes: readonly OwnRoute[] = [
  signedIn<{ password: string; code?: string }>(
    "POST",
    "/session/confirm",
    ConfirmBody,
    async ({ deps, exchange, body }, session) => {
      checkSafeLine(deps.config, exchange.ip);
      const outcome = await countingMisses(deps, exchange.ip, () =>
        signIn(deps, { ...body, email: session.email, ip: exchange.ip }, (tx) =>
          deps.sessions.confirm(tx, session),
        ),
      );
      if ("problem" in outcome) throw outcome.problem;
      if ("needsCode" in outcome) return ok({ object: "sign_in", code_required: true });
      return ok(
        { object: "sign_in", code_required: false },
        cookieHeader(deps.config, outcome.begun),
      );
    },
  ),
];
