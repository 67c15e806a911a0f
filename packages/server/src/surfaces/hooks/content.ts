import { PATH_FORM, parsePath, stringsAt, type ValuePath } from "../../network/carriers/index.ts";

/** A call as paths see it. */
export interface CallContent {
  /** The item: a value of the list, or the whole call. */
  readonly item: unknown;
  readonly root: unknown;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, string>>;
}

/** First steps of paths that do not start in the item. */
const ROOTS = { $root: "root", $header: "headers", $query: "query" } as const;

/** Steps of a path; null if it is none. */
export function pathOf(text: string): ValuePath | null {
  return PATH_FORM.test(text) ? parsePath(text) : null;
}

/** Value that a path starts in, and the steps from there. */
export function valueAt(
  content: CallContent,
  path: ValuePath,
): { readonly root: unknown; readonly steps: ValuePath } {
  const [first, ...others] = path;
  const name = typeof first === "string" && first in ROOTS ? (first as keyof typeof ROOTS) : null;
  if (name === null) return { root: content.item, steps: path };
  // Node has header names in lower case.
  const steps = name === "$header" ? others.map(lowerCased) : others;
  return { root: content[ROOTS[name]], steps };
}

function lowerCased(step: ValuePath[number]): ValuePath[number] {
  return typeof step === "string" ? step.toLowerCase() : step;
}

/** The first value at any of the paths, as text; null: none has one. */
export function firstAt(
  content: CallContent,
  paths: readonly string[] | null | undefined,
): string | null {
  for (const text of paths ?? []) {
    const path = pathOf(text);
    if (path === null) continue;
    const { root, steps } = valueAt(content, path);
    const found = stringsAt(root, steps)[0];
    if (found !== undefined) return found;
  }
  return null;
}
