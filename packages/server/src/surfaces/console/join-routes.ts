import { Problem } from "@longwave/contract";
import { Type } from "typebox";
import { toApiId } from "../../core/platform/ids.ts";
import { recordForAccount, userActor } from "./audit.ts";
import { consumeLink, lockLink, lookUpLink } from "./links.ts";
import { type OwnRoute, ok, signedIn } from "./own-routes.ts";
import { emailKey } from "./sign-in.ts";
import { findMembership, upsertMembership } from "./sql.ts";

const JoinBody = Type.Object(
  { token: Type.String({ minLength: 43, maxLength: 43, pattern: "^[\\w-]+$" }) },
  { additionalProperties: false },
);

/** Accepts an invitation with an existing password: adds the membership and nothing else. */
export const joinRoutes: readonly OwnRoute[] = [
  signedIn<{ token: string }>("POST", "/links/join", JoinBody, async (request, session) => {
    const { deps, exchange, body } = request;
    await lookUpLink(deps, exchange.ip, body.token);
    return deps.db.tx(async (tx) => {
      const link = await lockLink(deps, tx, body.token);
      const { account_id: accountId, role } = link;
      if (link.kind !== "invitation" || accountId === null || role === null) {
        throw new Problem("invalid_request", "This link is not an invitation.", { param: "token" });
      }
      if (emailKey(link.email ?? "") !== emailKey(session.email)) {
        throw new Problem(
          "invalid_request",
          `This invitation is for ${link.email}. Sign in as that person to take it.`,
          { param: "token" },
        );
      }
      const [member] = await tx.query(findMembership, [accountId, session.userId]);
      if (member) throw new Problem("invalid_state", "You are a member of this account already.");
      const now = new Date(deps.clock.now());
      await tx.query(upsertMembership, [accountId, session.userId, role, now]);
      await consumeLink(deps, tx, body.token);
      await recordForAccount(deps, tx, accountId, {
        action: "member.joined",
        actor: userActor(session),
        targetId: toApiId("user", session.userId),
        changes: { role, email: session.email },
        ip: exchange.ip,
      });
      await deps.sessions.changed(tx);
      return ok({ object: "member", account_id: toApiId("account", accountId), role });
    });
  }),
];
