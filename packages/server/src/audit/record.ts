import { AUDIT_ACTIONS, type AuditAction, type AuditActor } from "@longwave/contract";
import type { Base } from "../base.ts";
import type { Tx } from "../db/database.ts";
import { statement } from "../db/statement.ts";

/** Who made a change. */
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
  /** Which one was changed; of what kind it is, the action's row in the contract says. */
  readonly targetId: string;
  readonly changes?: Readonly<Record<string, unknown>>;
  readonly ip?: string | null;
}

// The entry's hash covers the hash before it, so a row that is changed or taken out shows. The
// account's counter row is locked by the update, which keeps the chain a chain.
const insertAuditEntry = statement(
  "insert_audit_entry",
  `with head as (
     select audit_seq, audit_hash from account_counters where shard = $1 and account_id = $2 for update
   ), entry as (
     select audit_seq + 1 as seq, audit_hash as previous_hash,
            sha256(audit_hash || convert_to($3::text, 'UTF8')) as hash
       from head
   ), counted as (
     update account_counters c set audit_seq = e.seq, audit_hash = e.hash
       from entry e where c.shard = $1 and c.account_id = $2
   )
   insert into audit_log (shard, account_id, id, seq, action, actor_type, actor_id, actor_name,
                          target_type, target_id, changes, ip, created_at, previous_hash, hash)
   select $1, $2, $4::uuid, e.seq, $5, $6, $7, $8, $9, $10, $11::json, $12, $13, e.previous_hash, e.hash
     from entry e`,
);

/** What an entry's hash covers, besides the hash before it. */
export interface HashedEntry {
  readonly account_id: string;
  readonly id: string;
  readonly action: string;
  readonly actor_type: string;
  readonly actor_id: string | null;
  readonly actor_name: string | null;
  readonly target_type: string;
  readonly target_id: string;
  /** JSON, as it was written. */
  readonly changes: string;
  readonly ip: string | null;
  readonly created_at: number;
}

/** The text that goes into the hash: every field, so that none can be changed unseen. */
export function hashedText(entry: HashedEntry): string {
  return JSON.stringify([
    entry.account_id,
    entry.id,
    entry.action,
    entry.actor_type,
    entry.actor_id,
    entry.actor_name,
    entry.target_type,
    entry.target_id,
    entry.changes,
    entry.ip,
    entry.created_at,
  ]);
}

/** Writes one audit entry in the caller's transaction: no change without it, and none for refusals. */
export async function record(deps: Base, tx: Tx, entry: AuditEntry): Promise<void> {
  const now = deps.clock.now();
  const id = deps.ids.makeAt(now);
  const changes = JSON.stringify(entry.changes ?? {});
  const { actor } = entry;
  const targetType = AUDIT_ACTIONS[entry.action].target;
  const ip = entry.ip ?? null;
  const hashed = hashedText({
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
  await tx.query(insertAuditEntry, [
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
