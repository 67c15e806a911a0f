import type { StatementOptions, Step } from "./statement.ts";

/** Marks fragments. Parsed JSON has no symbols, so no value of a client can pass for SQL. */
const FRAGMENT = Symbol("sql fragment");

/** A piece of SQL with its own parameters, for lists whose filters are optional. */
export interface Fragment {
  readonly [FRAGMENT]: true;
  readonly parts: readonly string[];
  readonly values: readonly unknown[];
}

/** Tagged template: `${value}` becomes a parameter, a `${fragment}` is inlined. */
export function sql(strings: TemplateStringsArray, ...inserts: readonly unknown[]): Fragment {
  const parts: string[] = [strings[0] ?? ""];
  const values: unknown[] = [];
  inserts.forEach((insert, index) => {
    const after = strings[index + 1] ?? "";
    if (isFragment(insert)) {
      const [head = "", ...rest] = insert.parts;
      parts[parts.length - 1] += head;
      parts.push(...rest);
      parts[parts.length - 1] += after;
      values.push(...insert.values);
    } else {
      values.push(insert);
      parts.push(after);
    }
  });
  return { [FRAGMENT]: true, parts, values };
}

/** Trusted SQL: column names, directions. Never input of a client. */
export function raw(text: string): Fragment {
  return { [FRAGMENT]: true, parts: [text], values: [] };
}

/**
 * A condition that filters rows without matching any index: an index does not match `(…) is true`. PostgreSQL keeps
 * plans made while a table was empty, when any index looks equally good. So statements allow one index only: its key as
 * `=` or `= any(…)`, other conditions through this function. Figures: docs/decisions/0019-query-plans.md.
 */
export function notByIndex(condition: string): string;
export function notByIndex(condition: Fragment): Fragment;
export function notByIndex(condition: string | Fragment): string | Fragment {
  return typeof condition === "string" ? `(${condition}) is true` : sql`(${condition}) is true`;
}

export function join(fragments: readonly Fragment[], separator: string): Fragment {
  let joined: Fragment = raw("");
  fragments.forEach((fragment, index) => {
    joined = index === 0 ? fragment : sql`${joined}${raw(separator)}${fragment}`;
  });
  return joined;
}

/** A condition: the column contains these characters, in any case. No character is a wildcard. */
export function contains(column: string, characters: string): Fragment {
  const pattern = `%${characters.replace(/[\\%_]/g, "\\$&")}%`;
  return sql`${raw(column)} ilike ${pattern}`;
}

/**
 * A statement for one call, with its values; the name describes its purpose. In profile `lists` it may have few forms,
 * because each form is prepared.
 */
export function composed(name: string, fragment: Fragment, options: StatementOptions = {}): Step {
  const text = fragment.parts.reduce((sum, part, index) => `${sum}$${index}${part}`);
  return { statement: { name, text, isComposed: true, ...options }, values: fragment.values };
}

function isFragment(value: unknown): value is Fragment {
  return typeof value === "object" && value !== null && FRAGMENT in value;
}

/** One row per shard, for statements that read all shards. */
export const EVERY_SHARD = "generate_series(0, (select shards from installation) - 1) as s (shard)";

/** EVERY_SHARD for Citus, where each worker has the rows of its own shards. */
export const EVERY_SHARD_ON_CITUS = "shard_nodes s";
