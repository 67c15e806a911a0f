import type { AuditAction } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import type { Principal } from "../../http/api/caller.ts";
import type { Context } from "../../http/api/handler.ts";
import { record } from "../audit/index.ts";
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
