import type pg from "pg";

/**
 * Tables that nearly every transaction of a text writes to, in the order in which they do (see `accept_messages_v1`).
 * A migration that changes several of them takes them in this order, too: in another one it would hold what a text
 * waits for and wait for what that text holds, until one of them gives up.
 */
const LOCK_ORDER = [
  "account_counters",
  "consent_states",
  "idempotency_keys",
  "messages",
  "message_statuses",
  "due_attempts",
  "due_receipts",
  "events",
  "webhook_jobs",
] as const;

const CHANGED_TABLES =
  /\b(?:alter\s+table(?:\s+if\s+exists)?|create\s+(?:unique\s+)?index[^;]*?\son)(?:\s+only)?\s+(\w+)/gi;

/** Of the tables in that order, those that the text of a migration changes. */
function changedInOrder(text: string): string[] {
  const changed = new Set(Array.from(text.matchAll(CHANGED_TABLES), ([, table]) => table));
  return LOCK_ORDER.filter((table) => changed.has(table));
}

/** Takes what a migration is about to change, if that is more than one of these and they are there yet. */
export async function lockInOrder(client: pg.ClientBase, text: string): Promise<void> {
  const changed = changedInOrder(text);
  if (changed.length < 2) return;
  const { rows } = await client.query<{ name: string }>(
    "select name from unnest($1::text[]) with ordinality as t (name, nth) where to_regclass(name) is not null order by nth",
    [changed],
  );
  for (const { name } of rows) await client.query(`lock table ${name} in access exclusive mode`);
}
