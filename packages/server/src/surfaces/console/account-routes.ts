import { ListQuery, NAME_CHARS_MAX, SingleLine } from "@longwave/contract";
import { Type } from "typebox";
import { accountOf, changeAccount } from "../../account/accounts/index.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { requireNotBlank } from "../../http/api/parse-fields.ts";
import { parseQuery } from "../../http/body/query.ts";
import { compileSchema } from "../../http/body/validate.ts";
import { listOwnBlocks } from "../../messaging/verify/index.ts";
import { recordForAccount, userActor } from "./audit.ts";
import { checkAction, checkConfirmed, membershipOf, modeOf, roleMissing } from "./mounts.ts";
import { type OwnRoute, ok, signedIn } from "./own-routes.ts";
import { visitAccount } from "./sql.ts";

const BlocksQuery = ListQuery({});
const validateBlocks = compileSchema(BlocksQuery, "query");
const RenameBody = Type.Object(
  { name: SingleLine({ minLength: 1, maxLength: NAME_CHARS_MAX }) },
  { additionalProperties: false },
);

/** Account settings of the console: the name, blocked phones, and an operator's visit. */
export const accountRoutes: readonly OwnRoute[] = [
  signedIn<{ name: string }>(
    "PATCH",
    "/{account}",
    RenameBody,
    async ({ deps, params, body, exchange }, session) => {
      const { account: accountId = "" } = params;
      const membership = membershipOf(session, accountId);
      checkAction(membership, "account.rename");
      const name = body.name.trim();
      requireNotBlank(name, "name");
      const by = { actor: userActor(session), ip: exchange.ip };
      const { id } = membership.account;
      const account = await deps.db.tx((tx) => changeAccount(deps, tx, id, { name }, by));
      return ok({ object: "account", id: toApiId("account", id), name: account.name });
    },
  ),

  signedIn(
    "GET",
    "/{account}/{mode}/verify-blocks",
    null,
    async ({ deps, params, exchange }, session) => {
      const { account = "", mode } = params;
      const membership = membershipOf(session, account);
      checkAction(membership, "verifyBlocks.list");
      const query = parseQuery(exchange.rawQuery, BlocksQuery) as {
        limit?: number;
        cursor?: string;
      };
      validateBlocks(query);
      const { shard, id: accountId } = membership.account;
      return ok(await listOwnBlocks(deps, { shard, accountId }, modeOf(mode), query));
    },
  ),

  signedIn("POST", "/visits/{id}", null, async ({ deps, params, exchange }, session) => {
    if (!session.isOperator) throw roleMissing("operator");
    checkConfirmed(deps, session);
    return deps.db.tx(async (tx) => {
      const { id = "" } = params;
      const account = await accountOf(tx, id);
      const isMember = session.memberships.some(
        (each) => each.account.id === account.id && !each.isVisit,
      );
      if (!isMember) {
        await tx.query(visitAccount, [session.tokenHash, account.id]);
        await recordForAccount(deps, tx, account.id, {
          action: "operator.account_opened",
          actor: userActor(session),
          targetId: toApiId("account", account.id),
          ip: exchange.ip,
        });
        await deps.sessions.changed(tx);
      }
      return ok({ object: "visit", account_id: toApiId("account", account.id) });
    });
  }),

  signedIn("DELETE", "/visits", null, async ({ deps }, session) => {
    await deps.db.tx(async (tx) => {
      await tx.query(visitAccount, [session.tokenHash, null]);
      await deps.sessions.changed(tx);
    });
    return ok({ object: "visit", account_id: null });
  }),
];
