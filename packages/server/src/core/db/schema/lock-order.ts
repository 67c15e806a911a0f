import type pg from "pg";

/**
 * Tables that nearly every transaction of a message writes, in the lock order of `accept_messages_v1`. A migration that
 * changes several of them locks them in the same order; any other order risks a deadlock with a message.
 */
export const LOCK_ORDER = [
  "account_counters",
  "consent_states",
  "idempotency_keys",
  "messages",
  "message_statuses",
  "message_metadata",
  "delivery_hours",
  "due_attempts",
  "due_receipts",
  "events",
  "webhook_jobs",
] as const;

/**
 * Locked first by every such migration, even if it does not change this table. Receipts and settlements lock the
 * remaining tables in other orders, but all of them lock their account's row here first.
 */
const [GATE] = LOCK_ORDER;

const CHANGED_TABLES =
  /\b(?:alter\s+table(?:\s+if\s+exists)?|create\s+(?:unique\s+)?index[^;]*?\son)(?:\s+only)?\s+(\w+)/gi;

/**
 * Tables to lock before a migration with this SQL, in order; none if it changes at most one of them.
 */
export function tablesToLock(text: string): string[] {
  const changed = new Set(Array.from(text.matchAll(CHANGED_TABLES), ([, table]) => table));
  const inOrder = LOCK_ORDER.filter((table) => changed.has(table));
  return inOrder.length < 2
    ? []
    : LOCK_ORDER.filter((table) => table === GATE || changed.has(table));
}

/** Locks the tables that exist already. */
export async function lockInOrder(client: pg.ClientBase, text: string): Promise<void> {
  const tables = tablesToLock(text);
  if (tables.length === 0) return;
  const { rows } = await client.query<{ name: string }>(
    "select name from unnest($1::text[]) with ordinality as t (name, nth) where to_regclass(name) is not null order by nth",
    [tables],
  );
  for (const { name } of rows) await client.query(`lock table ${name} in access exclusive mode`);
}
