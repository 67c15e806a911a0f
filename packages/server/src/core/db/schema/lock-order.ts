import type pg from "pg";

/**
 * Tables that nearly every transaction of a text writes to, in the order in which `accept_messages_v1` does. A
 * migration that changes several of them takes them in this order, too: in another one it would hold what a text
 * waits for and wait for what that text holds, until one of them gives up.
 */
export const LOCK_ORDER = [
  "account_counters",
  "consent_states",
  "idempotency_keys",
  "messages",
  "message_statuses",
  "delivery_hours",
  "due_attempts",
  "due_receipts",
  "events",
  "webhook_jobs",
] as const;

/**
 * What such a migration takes first even if it leaves it as it is: receipts and settlements go through the rest in
 * orders of their own, but all of them have locked their account by then.
 */
const [GATE] = LOCK_ORDER;

const CHANGED_TABLES =
  /\b(?:alter\s+table(?:\s+if\s+exists)?|create\s+(?:unique\s+)?index[^;]*?\son)(?:\s+only)?\s+(\w+)/gi;

/** What a migration with this text takes before it begins, in order: nothing if it changes one of these at most. */
export function tablesToLock(text: string): string[] {
  const changed = new Set(Array.from(text.matchAll(CHANGED_TABLES), ([, table]) => table));
  const inOrder = LOCK_ORDER.filter((table) => changed.has(table));
  return inOrder.length < 2
    ? []
    : LOCK_ORDER.filter((table) => table === GATE || changed.has(table));
}

/** Takes those of them that are there yet. */
export async function lockInOrder(client: pg.ClientBase, text: string): Promise<void> {
  const tables = tablesToLock(text);
  if (tables.length === 0) return;
  const { rows } = await client.query<{ name: string }>(
    "select name from unnest($1::text[]) with ordinality as t (name, nth) where to_regclass(name) is not null order by nth",
    [tables],
  );
  for (const { name } of rows) await client.query(`lock table ${name} in access exclusive mode`);
}
