import type { AuditAction } from "@longwave/contract";
import type { Principal } from "../api/caller.ts";
import type { Context } from "../api/handler.ts";
import { record } from "../audit/index.ts";
import type { Base } from "../base.ts";
import type { Tx } from "../db/database.ts";
import { actorOf } from "./handlers.ts";

/** Who asks, and from where. */
export type Asking = Pick<Context<Principal, Base>, "deps" | "caller" | "ip">;

/** Writes down what somebody changed of their own account's, in the transaction of the change. */
export async function recordBy(
  { deps, caller, ip }: Asking,
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
