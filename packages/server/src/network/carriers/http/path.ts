/**
 * Path to a value in a carrier's JSON: names between dots, `[0]` for one item and `[]` for all
 * items, as in `messages[0].id`, `messages[].id` and, where the content is a list, `[]`.
 */
export type ValuePath = readonly (string | number | typeof EVERY)[];

/** All items of a list. */
const EVERY = null;

export const PATH_FORM =
  /^(?:[\w$@-]+|\[\d{0,3}\])(?:\[\d{0,3}\])*(?:\.[\w$@-]+(?:\[\d{0,3}\])*)*$/;
/** Limit for lists from carriers. */
const VALUES_MAX = 1_000;

export function parsePath(text: string): ValuePath {
  return [...text.matchAll(/\[(\d*)\]|[^.[\]]+/g)].map(([step, index]) => {
    if (index === undefined) return step;
    return index === "" ? EVERY : Number(index);
  });
}

/** The first values at a path, in order. Takes time for each of them and no more, however long a list is. */
export function valuesAt(root: unknown, path: ValuePath, max = VALUES_MAX): unknown[] {
  let found: unknown[] = [root];
  for (const step of path) found = stepIntoAll(found, step, max);
  return found;
}

function stepIntoAll(values: readonly unknown[], step: ValuePath[number], max: number): unknown[] {
  const found: unknown[] = [];
  for (const value of values) {
    for (const one of stepInto(value, step)) {
      if (found.length === max) return found;
      found.push(one);
    }
  }
  return found;
}

function stepInto(value: unknown, step: ValuePath[number]): readonly unknown[] {
  if (typeof value !== "object" || value === null) return [];
  if (step === EVERY) return Array.isArray(value) ? value : [];
  if (typeof step === "number") return Array.isArray(value) && step in value ? [value[step]] : [];
  if (Array.isArray(value)) return [];
  return Object.hasOwn(value, step) ? [(value as Record<string, unknown>)[step]] : [];
}

/** The first value at a path as a string; null when there is none or it is empty. */
export function stringAt(root: unknown, path: ValuePath | null): string | null {
  return path === null ? null : (stringsAt(root, path)[0] ?? null);
}

/** The first string at any of the paths, in their order. */
export function firstStringAt(root: unknown, paths: readonly ValuePath[]): string | null {
  for (const path of paths) {
    const found = stringAt(root, path);
    if (found !== null) return found;
  }
  return null;
}

export function stringsAt(root: unknown, path: ValuePath): string[] {
  return valuesAt(root, path).flatMap((value) => {
    const isText = typeof value === "string" && value !== "";
    if (isText || typeof value === "number" || typeof value === "boolean") return [String(value)];
    return [];
  });
}

/**
 * A string, also an unterminated one, or a number. Matches do not overlap, so parsing takes linear
 * time.
 */
const TOKEN = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|-?\d+(?:[.eE][\d.eE+-]*)?/g;
/** Numbers of this many digits lose precision in JavaScript; message ids may be that long. */
const LONG_NUMBER = /^-?\d{16,}$/;

/** Parses a carrier's JSON; undefined when it is invalid. Long integers become strings. */
export function parseLoosely(text: string): unknown {
  try {
    return JSON.parse(
      text.replace(TOKEN, (found) => (LONG_NUMBER.test(found) ? `"${found}"` : found)),
    );
  } catch {
    return undefined;
  }
}
