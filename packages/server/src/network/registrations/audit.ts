import type { AuditAction } from "@longwave/contract";
import { type Actor, record } from "../audit/index.ts";
import type { Base } from "../base.ts";
import type { Tx } from "../db/database.ts";
import { toApiId } from "../platform/ids.ts";
import type { RegistrationRow } from "./registration-row.ts";

/** Who makes a change. */
export interface Changer {
  readonly actor: Actor;
  readonly ip: string | null;
}

export async function recordRegistration(
  deps: Base,
  tx: Tx,
  row: RegistrationRow,
  action: AuditAction,
  { actor, ip }: Changer,
  changes: Readonly<Record<string, unknown>>,
): Promise<void> {
  await record(deps, tx, {
    shard: row.shard,
    accountId: row.account_id,
    action,
    actor,
    targetId: toApiId("registration", row.id),
    changes,
    ip,
  });
}
