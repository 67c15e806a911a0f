import type { AuditAction } from "@longwave/contract";
import { type Actor, record } from "../../account/audit/index.ts";
import type { Base } from "../../core/base.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { toApiId } from "../../core/platform/ids.ts";
import type { RegistrationRow } from "./registration-row.ts";

/** Principal of a change. */
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
