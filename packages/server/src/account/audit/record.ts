import {
  AUDIT_ACTIONS,
  type AuditAction,
  type AuditActor,
  formatTimestamp,
} from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { type Statement, statement } from "../../core/db/driver/statement.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { shapedChanges } from "./changes.ts";

/** Author of a change. */
export interface Actor {
  readonly type: AuditActor;
  readonly id: string | null;
  readonly name: string | null;
}

export interface AuditEntry {
  readonly shard: number;
  readonly accountId: string;
  readonly action: AuditAction;
  readonly actor: Actor;
  /** Id of the changed object; the action's row in the contract has its kind. */
  readonly targetId: string;
  readonly changes?: Readonly<Record<string, unknown>>;
  readonly ip?: string | null;
}

/** An entry of the installation's own log, for changes outside any account. The operator reads it. */
export type InstallationEntry = Omit<AuditEntry, "shard" | "accountId">;

/** Owner of the installation's own entries. */
export const INSTALLATION = { shard: 0, id: "00000000-0000-0000-0000-000000000000" };

// An entry's hash covers the previous hash, so a changed or deleted row is detectable. The statement locks the row with
// the head of the chain, so that the chain never forks.
function insertInto(name: string, heads: string, isHead: string) {
  return statement(
    name,
    `with head as (
     select audit_seq, audit_hash from ${heads} where ${isHead} for update
   ), entry as (
     select audit_seq + 1 as seq, audit_hash as previous_hash,
            sha256(convert_to(encode(audit_hash, 'hex') || $3::text, 'UTF8')) as hash
       from head
   ), counted as (
     update ${heads} set audit_seq = e.seq, audit_hash = e.hash
       from entry e where ${isHead}
   )
   insert into audit_log (shard, account_id, id, seq, action, actor_type, actor_id, actor_name,
                          target_type, target_id, changes, ip, created_at, previous_hash, hash)
   select $1, $2::uuid, $4::uuid, e.seq, $5, $6, $7, $8, $9, $10, $11::json, $12, $13, e.previous_hash, e.hash
     from entry e`,
  );
}

const insertAuditEntry = insertInto(
  "insert_audit_entry",
  "account_counters",
  "shard = $1 and account_id = $2::uuid",
);
const insertInstallationEntry = insertInto("insert_installation_entry", "installation", "only_row");

/** Fields under an entry's hash, besides the previous hash. */
export interface HashedEntry {
  /** Zeros in the installation's own log. */
  readonly account_id: string;
  readonly id: string;
  readonly action: string;
  readonly actor_type: string;
  readonly actor_id: string | null;
  readonly actor_name: string | null;
  readonly target_type: string;
  readonly target_id: string;
  /** JSON, exactly as stored. */
  readonly changes: string;
  readonly ip: string | null;
  readonly created_at: number;
}

const ENTRY_FORMAT = "longwave-audit-entry/1";

/** Input of the hash: every field, so that a change to any is detectable. */
export function hashedString(entry: HashedEntry): string {
  const { account_id, action, actor_type, actor_id, actor_name, target_type, target_id, ip } =
    entry;
  const isAccounts = account_id !== INSTALLATION.id;
  const fields = JSON.stringify({
    format: ENTRY_FORMAT,
    account_id: isAccounts ? toApiId("account", account_id) : null,
    id: toApiId("audit_log", entry.id),
    created_at: formatTimestamp(entry.created_at),
    action,
    actor_type,
    actor_id,
    actor_name,
    target_type,
    target_id,
    ip,
  });
  return `${fields.slice(0, -1)},"changes":${entry.changes}}`;
}

/** Writes one audit entry in the caller's transaction: no change commits without its entry. Refusals write none. */
export async function record(deps: Base, tx: Tx, entry: AuditEntry): Promise<void> {
  await write(deps, tx, insertAuditEntry, entry);
}

/** Like `record`, for changes outside any account. */
export async function recordForInstallation(
  deps: Base,
  tx: Tx,
  entry: InstallationEntry,
): Promise<void> {
  const owner = { shard: INSTALLATION.shard, accountId: INSTALLATION.id };
  await write(deps, tx, insertInstallationEntry, { ...entry, ...owner });
}

async function write(deps: Base, tx: Tx, insert: Statement, entry: AuditEntry): Promise<void> {
  const now = deps.clock.now();
  const id = deps.ids.makeAt(now);
  const changes = JSON.stringify(shapedChanges(entry.action, entry.changes ?? {}));
  const { actor } = entry;
  const targetType = AUDIT_ACTIONS[entry.action].target;
  const ip = entry.ip ?? null;
  const hashed = hashedString({
    account_id: entry.accountId,
    id,
    action: entry.action,
    actor_type: actor.type,
    actor_id: actor.id,
    actor_name: actor.name,
    target_type: targetType,
    target_id: entry.targetId,
    changes,
    ip,
    created_at: now,
  });
  await tx.query(insert, [
    entry.shard,
    entry.accountId,
    hashed,
    id,
    entry.action,
    actor.type,
    actor.id,
    actor.name,
    targetType,
    entry.targetId,
    changes,
    ip,
    new Date(now),
  ]);
}
