import type { IncomingMessage } from "node:http";
import type { Work } from "../exchange/exchange.ts";

/**
 * Finds the route of a path. Literals are compared with the path as sent, so `/v1/%61ccount` is not `/v1/account`: a
 * proxy's rule on the raw path cannot be bypassed. Only parameters are decoded.
 */
export interface Router<T> {
  find(method: string, path: string): Found<T> | null;
}

export type Found<T> =
  | { readonly target: T; readonly params: Readonly<Record<string, string>> }
  /** The path takes other methods than this one. */
  | { readonly target: null; readonly allow: readonly string[] };

export interface RoutedTarget<T> {
  readonly method: string;
  /** With `{name}` for parameters. */
  readonly path: string;
  readonly target: T;
}

/** A page or file outside the API: health, metrics, the reference, the OpenAPI document. */
export interface PlainRoute {
  readonly path: string;
  /** null: no answer for this request. */
  answer(request: IncomingMessage): PlainAnswer | null | Promise<PlainAnswer | null>;
}

export interface PlainAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A call outside the API's routes, with its own way of answering. */
export interface OwnRoute {
  readonly method: string;
  readonly path: string;
  readonly work: Work;
}

/** No id is as long as this. */
const PARAM_CHARS_MAX = 200;
const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze({});

interface Entry<T> {
  readonly target: T;
  readonly names: readonly string[];
}

/** Children of one path segment: literals by name, and the branch of a parameter. */
interface Branch<T> {
  readonly literals: Map<string, Branch<T>>;
  parameter: Branch<T> | null;
  readonly byMethod: Map<string, Entry<T>>;
}

export function createRouter<T>(targets: readonly RoutedTarget<T>[]): Router<T> {
  const root = newBranch<T>();
  // Paths without a parameter, the majority of requests, are found in one step.
  const whole = new Map<string, Branch<T>>();
  for (const { method, path, target } of targets) {
    const branch = grow(root, path);
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
    if (branch.byMethod.has(method)) throw new Error(`Two routes are ${method} ${path}.`);
    branch.byMethod.set(method, { target, names });
    if (names.length === 0) whole.set(path, branch);
  }
  return {
    find(method, path) {
      const fixed = whole.get(path);
      if (!fixed) return search(root, method, path);
      const known = fixed.byMethod.get(method);
      // A fixed path is never an id: another method is refused with the path's own.
      if (!known) return { target: null, allow: inOrder(fixed.byMethod.keys()) };
      return { target: known.target, params: NO_PARAMS };
    },
  };
}

function newBranch<T>(): Branch<T> {
  return { literals: new Map(), parameter: null, byMethod: new Map() };
}

function grow<T>(root: Branch<T>, path: string): Branch<T> {
  let branch = root;
  for (const part of path.split("/")) {
    if (part.startsWith("{")) {
      branch.parameter ??= newBranch();
      branch = branch.parameter;
    } else {
      const next = branch.literals.get(part) ?? newBranch<T>();
      branch.literals.set(part, next);
      branch = next;
    }
  }
  return branch;
}

function search<T>(root: Branch<T>, method: string, path: string): Found<T> | null {
  const methods = new Set<string>();
  for (const { branch, values } of matching(root, path.split("/"), 0, [])) {
    for (const known of branch.byMethod.keys()) methods.add(known);
    const entry = branch.byMethod.get(method);
    const params = entry ? paramsOf(entry.names, values) : null;
    if (entry && params) return { target: entry.target, params };
  }
  // The path takes the method, but a segment cannot be an id.
  if (methods.size === 0 || methods.has(method)) return null;
  return { target: null, allow: inOrder(methods) };
}

function inOrder(methods: Iterable<string>): string[] {
  return [...methods].sort((a, b) => (a < b ? -1 : 1));
}

/** Every branch that matches the segments: literals first, then parameters. */
function* matching<T>(
  branch: Branch<T>,
  parts: readonly string[],
  depth: number,
  values: readonly string[],
): Generator<{ readonly branch: Branch<T>; readonly values: readonly string[] }> {
  const part = parts[depth];
  if (part === undefined) {
    yield { branch, values };
    return;
  }
  const literal = branch.literals.get(part);
  if (literal) yield* matching(literal, parts, depth + 1, values);
  if (part !== "" && branch.parameter) {
    yield* matching(branch.parameter, parts, depth + 1, [...values, part]);
  }
}

/** The decoded parameters, or null if one cannot be an id. */
function paramsOf(
  names: readonly string[],
  values: readonly string[],
): Readonly<Record<string, string>> | null {
  const params: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const value = decoded(values[index] ?? "");
    if (value === null || value.length > PARAM_CHARS_MAX) return null;
    params[name] = value;
  }
  return params;
}

/** null for an invalid string, or one that PostgreSQL does not accept. */
function decoded(text: string): string | null {
  if (!text.includes("%")) return text;
  try {
    const value = decodeURIComponent(text);
    return value.includes("\u0000") ? null : value;
  } catch {
    // A malformed escape, invalid UTF-8, or a lone surrogate.
    return null;
  }
}
