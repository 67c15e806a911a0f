import type { Statement } from "../driver/statement.ts";

/**
 * Checks that statements on account-owned tables name the shard. A single PostgreSQL runs statements without one; Citus
 * would refuse them or query every node.
 */

/** Keywords that may follow a table's name and are not its alias. */
const NOT_ALIASES = new Set(
  "as on set where using join left right inner cross full natural order group having limit for returning values select default union except intersect window offset tablesample conflict do".split(
    " ",
  ),
);
const TOKEN = /[a-z_][a-z0-9_$]*|\$\d+|[(),.=]|\S/g;
const CREATED_TABLE =
  /create\s+(?:unlogged\s+)?table\s+(?:if\s+not\s+exists\s+)?(\w+)\s*\(([\s\S]*?)\n\s*\)/g;
const COMMON_TABLE = /\b(\w+)\s*(?:\([\w\s,]*\)\s*)?as\s+(?:(?:not\s+)?materialized\s+)?\(/g;

interface Reference {
  readonly table: string;
  /** Alias, or else the table's name. */
  readonly alias: string;
  readonly isInsert: boolean;
}

/** Tables whose primary key starts with the shard, according to the migrations. */
export function tablesWithShard(migrations: string): ReadonlySet<string> {
  const owned = [...migrations.matchAll(CREATED_TABLE)].filter(([, , body = ""]) =>
    /primary key \(shard\b/.test(body),
  );
  return new Set(owned.map(([, name]) => name as string));
}

/** The first account-owned table that a statement uses without naming its shard, or null. */
export function statementWithoutShard(
  statement: Statement,
  owned: ReadonlySet<string>,
): string | null {
  if (statement.acrossShards) return null;
  const text = bareText(statement.text);
  const references = referencesIn(text, owned);
  const badInsert = references.find((one) => one.isInsert && !insertsShard(text, one.table));
  if (badInsert) return badInsert.table;
  const unnamed = references.filter((one) => !one.isInsert && !namesShardOf(text, one.alias));
  // Each `where shard = $1` without an alias covers one table.
  const bare = [...text.matchAll(/(?<![\w.])shard\s*=\s*\$\d+/g)].length;
  return unnamed[bare]?.table ?? null;
}

/** Lower case, without comments and string contents. */
function bareText(text: string): string {
  return text
    .replaceAll(/--[^\n]*/g, " ")
    .replaceAll(/\/\*[\s\S]*?\*\//g, " ")
    .replaceAll(/'(?:[^']|'')*'/g, "''")
    .toLowerCase();
}

function insertsShard(text: string, table: string): boolean {
  return new RegExp(`\\binto\\s+${table}(?:\\s+as\\s+\\w+)?\\s*\\(\\s*shard\\b`).test(text);
}

function namesShardOf(text: string, alias: string): boolean {
  const own = `(?<![\\w.])${alias}\\.shard`;
  const value = "(?:\\$\\d+|\\w+\\.shard)";
  return new RegExp(`${own}\\s*=\\s*${value}|${value}\\s*=\\s*${own}\\b`).test(text);
}

/** Account-owned tables that a statement reads or writes, without its own CTEs. */
function referencesIn(text: string, owned: ReadonlySet<string>): Reference[] {
  const tokens = text.match(TOKEN) ?? [];
  const common = new Set([...text.matchAll(COMMON_TABLE)].map(([, name]) => name));
  return tokens
    .flatMap((token, index) => {
      if (!isTableAhead(token, tokens[index - 1])) return [];
      return token === "from" || token === "using"
        ? tableList(tokens, index + 1)
        : [tableAt(tokens, index + 1, token === "into").reference];
    })
    .filter(({ table }) => owned.has(table) && !common.has(table));
}

function isTableAhead(token: string, before: string | undefined): boolean {
  if (token === "update") return !["for", "key", "do", "on"].includes(before ?? "");
  if (token === "from") return before !== "distinct";
  return token === "join" || token === "into" || token === "using";
}

/** Comma-separated tables, up to the first item that is no plain table. */
function tableList(tokens: readonly string[], start: number): Reference[] {
  const found: Reference[] = [];
  for (let at = start; at < tokens.length; ) {
    const { reference, next } = tableAt(tokens, at, false);
    found.push(reference);
    if (tokens[next] !== ",") break;
    at = next + 1;
  }
  return found;
}

function tableAt(
  tokens: readonly string[],
  start: number,
  isInsert: boolean,
): { reference: Reference; next: number } {
  const at = tokens[start] === "only" ? start + 1 : start;
  const isFunction = !isInsert && tokens[at + 1] === "(";
  const table = isFunction ? "" : (tokens[at] ?? "");
  const aliasPosition = tokens[at + 1] === "as" ? at + 2 : at + 1;
  const word = tokens[aliasPosition] ?? "";
  const isAlias = /^[a-z_]/.test(word) && !NOT_ALIASES.has(word);
  const alias = isAlias ? word : table;
  return { reference: { table, alias, isInsert }, next: isAlias ? aliasPosition + 1 : at + 1 };
}
