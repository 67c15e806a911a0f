import type { StatementOptions, Step } from "./statement.ts";

/** A piece of SQL with its own parameters, for lists whose filters are optional. */
export interface Fragment {
  readonly parts: readonly string[];
  readonly values: readonly unknown[];
}

/** Tagged template: `${value}` becomes a parameter, `${fragment}` is put in its place. */
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
  return { parts, values };
}

/** SQL text written by us, never by a caller: column names, directions. */
export function raw(text: string): Fragment {
  return { parts: [text], values: [] };
}

/**
 * A condition that rows are filtered by, and no index is to be walked for. PostgreSQL keeps a plan
 * that was made while a table was empty, and then any index looks as good as any other; so a statement
 * is written such that only one index fits it: the key as `=` or `= any(…)`, the rest like this. An
 * index does not match `(…) is true`. docs/decisions/0019-plans-that-turn-bad.md has the figures.
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

/**
 * A statement for one call, with its values. The name says what it is for. One of the profile
 * `lists` may have few texts (a filter is there or not), because each is prepared and kept.
 */
export function composed(name: string, fragment: Fragment, options: StatementOptions = {}): Step {
  const text = fragment.parts.reduce((sum, part, index) => `${sum}$${index}${part}`);
  return { statement: { name, text, isComposed: true, ...options }, values: fragment.values };
}

function isFragment(value: unknown): value is Fragment {
  return typeof value === "object" && value !== null && "parts" in value && "values" in value;
}

/** A row for each shard, for statements that look at all of them. */
export const EVERY_SHARD = "generate_series(0, (select shards from installation) - 1) as s (shard)";

/** The same on Citus, where each worker has the rows of its own shards. */
export const EVERY_SHARD_ON_CITUS = "shard_places s";
