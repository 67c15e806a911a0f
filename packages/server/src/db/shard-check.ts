import type { Statement } from "./statement.ts";

/** The directories that stand outside the shards: small, and whole on every node. */
const GLOBAL_TABLES = new Set([
  "accounts",
  "api_keys",
  "clock_followers",
  "clock_turn",
  "installation",
  "inventory_numbers",
  "numbers",
  "periodic_tasks",
  "schema_migrations",
  "workers",
]);

const TABLE_AFTER = /\b(?:from|join|into|update)\s+(?:only\s+)?([a-z_]+)\b(?!\s*\()/g;
const COMMON_TABLE = /\b([a-z_]+)\s+as\s+(?:not\s+materialized\s+|materialized\s+)?\(/g;
const NAMES_SHARD = /\bshard\s*=\s*\$\d+/;
const INSERTS_SHARD = /\binsert\s+into\s+[a-z_]+(?:\s+as\s+\w+)?\s*\(\s*shard\b/;

/**
 * The first account-owned table that a statement touches without naming a shard, or null. On one
 * PostgreSQL nothing is lost without it; on a distributed one the statement would be refused.
 */
export function statementWithoutShard(statement: Statement): string | null {
  if (statement.acrossShards) return null;
  const text = statement.text.toLowerCase();
  const names = new Set<string>();
  for (const match of text.matchAll(COMMON_TABLE)) names.add(match[1] as string);
  const touched = [...text.matchAll(TABLE_AFTER)]
    .map((match) => match[1] as string)
    .filter((table) => !names.has(table) && !GLOBAL_TABLES.has(table) && !NOT_TABLES.has(table));
  const [first] = touched;
  if (first === undefined) return null;
  return NAMES_SHARD.test(text) || INSERTS_SHARD.test(text) ? null : first;
}

/** Words that follow `from`, `update` or `join` without being tables. */
const NOT_TABLES = new Set([
  "set",
  "lateral",
  "select",
  "unnest",
  "of",
  "nowait",
  "skip",
  "generate_series",
  "jsonb_to_recordset",
  "json_to_recordset",
]);
