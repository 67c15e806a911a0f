/**
 * Where a value stands in what a carrier sends: names between dots, `[0]` for one of a list and `[]`
 * for all of it, as in `messages[0].id` and `messages[].id`.
 */
export type ValuePath = readonly (string | number | typeof EVERY)[];

/** Every one of a list. */
const EVERY = null;

export const PATH_FORM = /^[\w$@-]+(?:\[\d{0,3}\])*(?:\.[\w$@-]+(?:\[\d{0,3}\])*)*$/;
/** A list from outside may be longer than anybody means. */
const VALUES_MAX = 1_000;

export function parsePath(text: string): ValuePath {
  return [...text.matchAll(/\[(\d*)\]|[^.[\]]+/g)].map(([step, index]) => {
    if (index === undefined) return step;
    return index === "" ? EVERY : Number(index);
  });
}

/** Everything that stands there, in order. */
export function valuesAt(root: unknown, path: ValuePath): unknown[] {
  let found: unknown[] = [root];
  for (const step of path) {
    found = found.flatMap((value) => stepInto(value, step)).slice(0, VALUES_MAX);
  }
  return found;
}

function stepInto(value: unknown, step: ValuePath[number]): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  if (step === EVERY) return Array.isArray(value) ? value : [];
  if (typeof step === "number") return Array.isArray(value) && step in value ? [value[step]] : [];
  if (Array.isArray(value)) return [];
  return Object.hasOwn(value, step) ? [(value as Record<string, unknown>)[step]] : [];
}

/** The first value there as text; null where there is none, or an empty one. */
export function textAt(root: unknown, path: ValuePath | null): string | null {
  return path === null ? null : (textsAt(root, path)[0] ?? null);
}

export function textsAt(root: unknown, path: ValuePath): string[] {
  return valuesAt(root, path).flatMap((value) => {
    const isText = typeof value === "string" && value !== "";
    if (isText || typeof value === "number" || typeof value === "boolean") return [String(value)];
    return [];
  });
}

/** Numbers of this many digits are not exact as JavaScript has them; message ids may be that long. */
const LONG_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])/g;

/** JSON as a carrier writes it; undefined where it is none. Long whole numbers are kept as text. */
export function parseLoosely(text: string): unknown {
  try {
    return JSON.parse(
      text.replace(LONG_NUMBER, (found) => (found.startsWith('"') ? found : `"${found}"`)),
    );
  } catch {
    return undefined;
  }
}
