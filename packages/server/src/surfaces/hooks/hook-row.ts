import {
  formatTimestamp,
  type Hook,
  type HookDeclaration,
  type HookPresetName,
  type Mode,
  Problem,
} from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { Queryable } from "../../core/db/driver/database.ts";
import type { Statement } from "../../core/db/driver/statement.ts";
import { fromApiId, toApiId } from "../../core/platform/ids.ts";
import type { SecretOwner } from "../../core/platform/secrets.ts";
import { inMode, type ModedCaller } from "../../http/api/modes.ts";
import { findHook, lockHook } from "./sql.ts";

export interface HookRow {
  readonly shard: number;
  readonly account_id: string;
  readonly id: string;
  readonly mode: Mode;
  readonly name: string;
  readonly preset: HookPresetName | null;
  /** Number or pool. */
  readonly sender: string;
  readonly recipients: readonly string[];
  readonly declaration: HookDeclaration;
  /** Encrypted. */
  readonly secret: Buffer;
  readonly messages_per_minute: number;
  readonly messages_per_phone_hour: number;
  readonly active: boolean;
  readonly created_at: number;
}

/** Stands for the secret in an address. */
const HIDDEN = "…";

function secretOwner(id: string): SecretOwner {
  return ["hook", id];
}

export function sealHookSecret({ secrets }: Base, id: string, secret: string): Buffer {
  return secrets.encrypt(secret, secretOwner(id));
}

export function hookSecret({ secrets }: Pick<Base, "secrets">, row: HookRow): string {
  return secrets.decrypt(row.secret, secretOwner(row.id));
}

/** Path of a hook; without a signature it ends in the secret. */
export function hookPath(id: string, declaration: HookDeclaration, secret = HIDDEN): string {
  const path = `/hooks/${toApiId("hook", id)}`;
  return declaration.signature ? path : `${path}/${secret}`;
}

export function presentHook({ config }: Base, row: HookRow, secret?: string): Hook {
  return {
    id: toApiId("hook", row.id),
    object: "hook",
    name: row.name,
    mode: row.mode,
    preset: row.preset,
    from: row.sender,
    recipients: [...row.recipients],
    declaration: row.declaration,
    messages_per_minute: row.messages_per_minute,
    messages_per_phone_hour: row.messages_per_phone_hour,
    active: row.active,
    url: `${config.publicUrl ?? ""}${hookPath(row.id, row.declaration, secret)}`,
    created_at: formatTimestamp(row.created_at),
  };
}

/** Hook in a path, of the caller's mode, or 404. */
export async function hookOf(
  db: Queryable,
  caller: ModedCaller,
  apiId: string,
  how: "read" | "lock",
): Promise<HookRow> {
  const id = fromApiId("hook", apiId);
  const statement: Statement = how === "lock" ? lockHook : findHook;
  const { shard, id: accountId } = caller.account;
  const [found] = id ? await db.query<HookRow>(statement, [shard, accountId, id]) : [];
  const row = inMode(found, caller.mode);
  if (!row) throw new Problem("not_found", `There is no hook ${apiId.slice(0, 64)}.`);
  return row;
}
