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
  action: string,
  { actor, ip }: Changer,
  changes: Readonly<Record<string, unknown>>,
): Promise<void> {
  await record(deps, tx, {
    shard: row.shard,
    accountId: row.account_id,
    action,
    actor,
    target: { type: "registration", id: toApiId("registration", row.id) },
    changes,
    ip,
  });
}
