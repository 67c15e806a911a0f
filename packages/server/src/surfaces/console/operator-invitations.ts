import { formatTimestamp, Problem, type Role } from "@longwave/contract";
import { accountOf, operatorActor } from "../../account/accounts/index.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { toApiId } from "../../core/platform/ids.ts";
import type { AccountRow, Operator } from "../../http/api/caller.ts";
import type { Context, HandlersOf } from "../../http/api/handler.ts";
import { claimThenWork } from "../../http/idempotency/index.ts";
import type { OperatorPeopleDeps } from "./deps.ts";
import { invite, mailInvitation } from "./invite.ts";
import { ownOrigin } from "./links.ts";
import { emailKey } from "./sign-in.ts";
import { findMemberByEmail } from "./sql.ts";

/** Invitations by the operator, so that an account without members can get its first one. */
export const operatorInvitationHandlers: HandlersOf<
  "operator.invitations.create",
  OperatorPeopleDeps
> = {
  "operator.invitations.create": async (context, { params, body }) => {
    const { deps } = context;
    const account = await accountOf(deps.db, params.id);
    const { email, role = "owner" } = body;
    // Calls the mail server, so no transaction is open while it answers.
    return claimThenWork(context, async () => {
      const link = await deps.db.tx((tx) => inviteTo(context, tx, account, { email, role }));
      const mailed = await mailInvitation(deps, account, email, link.url);
      return {
        status: 201 as const,
        body: {
          object: "invitation" as const,
          account_id: toApiId("account", account.id),
          email,
          role,
          url: link.url,
          mailed,
          expires_at: formatTimestamp(link.expiresAtMs),
        },
      };
    });
  },
};

async function inviteTo(
  { deps, caller, ip }: Context<Operator, OperatorPeopleDeps>,
  tx: Tx,
  account: AccountRow,
  { email, role }: { readonly email: string; readonly role: Role },
) {
  const [member] = await tx.query(findMemberByEmail, [account.id, emailKey(email)]);
  if (member) {
    throw new Problem("already_exists", `${email} is a member of ${account.name} already.`, {
      param: "email",
    });
  }
  return invite(deps, tx, {
    ...{ account, email, role, ip },
    actor: operatorActor(caller),
    makerId: caller.user?.userId ?? null,
    // The operator token may come through any host; links lead to the configured one.
    origin: ownOrigin(deps.config),
  });
}
