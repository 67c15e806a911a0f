import type { AuditAction } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { toApiId } from "../../core/platform/ids.ts";
import type { AccountRow, Operator, Principal } from "../../http/api/caller.ts";
import type { Context } from "../../http/api/handler.ts";
import { type Actor, record } from "../audit/index.ts";
import { actorOf } from "./handlers.ts";

/** Caller and address of a request. */
export type Requester = Pick<Context<Principal, Base>, "deps" | "caller" | "ip">;

/** Writes the audit entry of a caller's change to its own account, in the transaction of the change. */
export async function recordBy(
  { deps, caller, ip }: Requester,
  tx: Tx,
  action: AuditAction,
  targetId: string,
  changes: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const { shard, id: accountId } = caller.account;
  await record(deps, tx, {
    shard,
    accountId,
    action,
    actor: actorOf(caller),
    targetId,
    changes,
    ip,
  });
}

const OPERATOR_ACTOR: Actor = { type: "operator", id: null, name: "operator" };

/** Name of an operator in the audit log: the person or the named token, if one acts. */
export function operatorActor({ user, token }: Operator): Actor {
  if (user) return { type: "user", id: toApiId("user", user.userId), name: user.userName };
  if (!token) return OPERATOR_ACTOR;
  return { type: "operator", id: toApiId("operator_token", token.tokenId), name: token.tokenName };
}

/** Fields of an audit entry about an account that an operator changes. */
export function auditOf(
  account: AccountRow,
  action: AuditAction,
  by: { caller: Operator; ip: string },
) {
  return {
    shard: account.shard,
    accountId: account.id,
    action,
    actor: operatorActor(by.caller),
    targetId: toApiId("account", account.id),
    ip: by.ip,
  };
}
