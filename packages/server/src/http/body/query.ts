import { Problem } from "@longwave/contract";
import type { TSchema } from "typebox";
import { shownName } from "../../core/platform/outside-text.ts";
import { hasLoneSurrogate } from "./json-body.ts";

const QUERY_CHARS_MAX = 4_096;
const QUERY_PARAMETERS_MAX = 50;

/**
 * Reads a query string strictly: every parameter once, no malformed escapes; strings become numbers or booleans only if
 * the schema says so, and `name[key]` members of an object.
 */
export function parseQuery(raw: string, schema: TSchema | undefined): Record<string, unknown> {
  const query: Record<string, unknown> = Object.create(null);
  if (raw === "") return query;
  if (raw.length > QUERY_CHARS_MAX) {
    throw new Problem("invalid_request", `The query has more than ${QUERY_CHARS_MAX} characters.`);
  }
  const pairs = raw.split("&");
  if (pairs.length > QUERY_PARAMETERS_MAX) {
    throw new Problem(
      "invalid_request",
      `The query has more than ${QUERY_PARAMETERS_MAX} parameters.`,
    );
  }
  for (const pair of pairs) {
    if (pair === "") continue;
    const split = pair.indexOf("=");
    const name = decode(split === -1 ? pair : pair.slice(0, split), null);
    const value = decode(split === -1 ? "" : pair.slice(split + 1), name);
    add(query, name, value, schema);
  }
  return { ...query };
}

function add(
  query: Record<string, unknown>,
  name: string,
  value: string,
  schema: TSchema | undefined,
): void {
  const member = memberOf(name, schema);
  if (member === null) {
    if (name in query) throw refused(name, "is given twice");
    query[name] = typed(name, value, schema);
    return;
  }
  query[member.of] ??= Object.create(null);
  const members = query[member.of] as Record<string, string>;
  if (member.key in members) throw refused(name, "is given twice");
  members[member.key] = value;
}

function decode(text: string, name: string | null): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(text.replaceAll("+", " "));
  } catch (error) {
    throw refused(name, "has a broken percent escape", error);
  }
  if (decoded.includes("\u0000")) throw refused(name, "has a NUL character");
  if (hasLoneSurrogate(decoded)) throw refused(name, "has half of a surrogate pair");
  return decoded;
}

/** Splits `metadata[key]` where the schema's `metadata` is an object. */
function memberOf(
  name: string,
  schema: TSchema | undefined,
): { readonly of: string; readonly key: string } | null {
  const open = name.indexOf("[");
  if (open === -1 || !name.endsWith("]")) return null;
  const of = name.slice(0, open);
  return typeIn(schema, of) === "object" ? { of, key: name.slice(open + 1, -1) } : null;
}

function typeIn(schema: TSchema | undefined, name: string): unknown {
  const properties = (schema as { properties?: Record<string, { type?: unknown }> } | undefined)
    ?.properties;
  return properties && Object.hasOwn(properties, name) ? properties[name]?.type : undefined;
}

function typed(name: string, value: string, schema: TSchema | undefined): unknown {
  const type = typeIn(schema, name);
  if (type === "object") throw refused(name, `takes its keys in brackets: ${name}[key]=value`);
  if (type === "integer") {
    if (!/^(?:0|[1-9]\d{0,14})$/.test(value)) throw refused(name, "must be a whole number");
    return Number(value);
  }
  if (type === "boolean") {
    if (value !== "true" && value !== "false") throw refused(name, "must be true or false");
    return value === "true";
  }
  return value;
}

function refused(name: string | null, what: string, cause?: unknown): Problem {
  const details = cause === undefined ? {} : { cause };
  if (name === null) return new Problem("invalid_request", `The query ${what}.`, details);
  const param = shownName(name);
  return new Problem("invalid_request", `${param} ${what}.`, { ...details, param });
}
