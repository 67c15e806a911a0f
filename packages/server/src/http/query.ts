import { Problem } from "@longwave/contract";
import type { TSchema } from "typebox";
import { hasLoneSurrogate } from "./strict-json.ts";

const QUERY_CHARS_MAX = 4_096;
const QUERY_PARAMETERS_MAX = 50;

/**
 * Reads a query string strictly: every parameter once, no stray escapes, and text becomes a
 * number or boolean only where the schema says so. Nothing is guessed.
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
    if (name in query) {
      throw new Problem("invalid_request", `${name} is given twice.`, { param: name });
    }
    query[name] = typed(name, value, schema);
  }
  return { ...query };
}

function decode(text: string, name: string | null): string {
  const details = name === null ? {} : { param: name };
  let decoded: string;
  try {
    decoded = decodeURIComponent(text.replaceAll("+", " "));
  } catch (error) {
    throw brokenEscape(details, error);
  }
  if (decoded.includes("\u0000") || hasLoneSurrogate(decoded)) {
    throw new Problem("invalid_request", `${name ?? "The query"} has a NUL character.`, details);
  }
  return decoded;
}

function typed(name: string, value: string, schema: TSchema | undefined): unknown {
  const properties = (schema as { properties?: Record<string, { type?: unknown }> } | undefined)
    ?.properties;
  const type = properties && Object.hasOwn(properties, name) ? properties[name]?.type : undefined;
  if (type === "integer") {
    if (!/^\d{1,15}$/.test(value)) {
      throw new Problem("invalid_request", `${name} must be a whole number.`, { param: name });
    }
    return Number(value);
  }
  if (type === "boolean") {
    if (value !== "true" && value !== "false") {
      throw new Problem("invalid_request", `${name} must be true or false.`, { param: name });
    }
    return value === "true";
  }
  return value;
}

function brokenEscape(details: { param?: string }, cause: unknown): Problem {
  return new Problem("invalid_request", "The query has a broken percent escape.", {
    ...details,
    cause,
  });
}
