import {
  type AuditAction,
  type AuditActor,
  type AuditLog,
  formatTimestamp,
} from "@longwave/contract";
import { toApiId } from "../../core/platform/ids.ts";
import { type HashedEntry, hashedString } from "./record.ts";

/** An audit entry's row. */
export interface EntryRow extends HashedEntry {
  readonly seq: number;
  readonly action: AuditAction;
  readonly actor_type: AuditActor;
  readonly previous_hash: Buffer;
  readonly hash: Buffer;
}

export const ENTRY_COLUMNS = `e.account_id, e.id, e.seq, e.action, e.actor_type, e.actor_id, e.actor_name,
  e.target_type, e.target_id, e.changes::text as changes, e.ip, e.created_at, e.previous_hash, e.hash`;

export function presentEntry(row: EntryRow): AuditLog {
  return {
    id: toApiId("audit_log", row.id),
    object: "audit_log",
    action: row.action,
    actor: { type: row.actor_type, id: row.actor_id, name: row.actor_name },
    target: { type: row.target_type, id: row.target_id },
    changes: JSON.parse(row.changes),
    ip: row.ip,
    created_at: formatTimestamp(row.created_at),
  };
}

/** An entry in the export, with the fields that verify its link in the chain. */
export function exportedEntry(row: EntryRow) {
  return {
    id: toApiId("audit_log", row.id),
    created_at: formatTimestamp(row.created_at),
    action: row.action,
    actor_type: row.actor_type,
    actor_id: row.actor_id,
    actor_name: row.actor_name,
    target_type: row.target_type,
    target_id: row.target_id,
    changes: row.changes,
    ip: row.ip,
    seq: row.seq,
    previous_hash: row.previous_hash.toString("hex"),
    hash: row.hash.toString("hex"),
    text: hashedString(row),
  };
}
