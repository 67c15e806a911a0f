import { isUtf8 } from "node:buffer";
import { Problem } from "@longwave/contract";

export const JSON_DEPTH_MAX = 32;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COLON = 0x3a;
const COMMA = 0x2c;
const BYTE_ORDER_MARK = 0xfeff;
/** Escapes that could hide a NUL or half a surrogate pair; anything else is checked by UTF-8. */
const SUSPECT_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/;

/**
 * Parses a body as JSON and refuses what JSON.parse lets through: invalid UTF-8, a byte order
 * mark, deep nesting, repeated keys, NUL characters and lone surrogates.
 */
export function parseStrictJson(bytes: Buffer, tokensMax: number): unknown {
  if (!isUtf8(bytes)) throw invalid("The body is not valid UTF-8.");
  const text = bytes.toString("utf8");
  if (text.charCodeAt(0) === BYTE_ORDER_MARK) {
    throw invalid("The body starts with a byte order mark. Send plain UTF-8.");
  }
  scan(text, tokensMax);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalid(`The body is not valid JSON: ${(error as Error).message}`, error);
  }
  if (SUSPECT_ESCAPE.test(text)) refuseBadStrings(value, "");
  return value;
}

/** One pass over the text: nesting, number of values, and keys that occur twice in an object. */
function scan(text: string, tokensMax: number): void {
  // One entry per open object or array: the keys seen in it, or null for an array.
  const open: (Set<string> | null)[] = [];
  let tokens = 0;
  for (let position = 0; position < text.length; position += 1) {
    const code = text.charCodeAt(position);
    if (code === QUOTE) {
      const end = endOfString(text, position);
      noteKey(text, position, end, open.at(-1) ?? null);
      position = end;
      tokens += 1;
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      tokens += 1;
      openNested(open, code === OPEN_BRACE);
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) open.pop();
    else if (code === COMMA) tokens += 1;
    if (tokens > tokensMax) throw invalid(`The body has more than ${tokensMax} values.`);
  }
}

function openNested(open: (Set<string> | null)[], isObject: boolean): void {
  open.push(isObject ? new Set() : null);
  if (open.length > JSON_DEPTH_MAX) {
    throw invalid(`The body is nested more than ${JSON_DEPTH_MAX} levels deep.`);
  }
}

/** The position of the closing quote, or the end of the text when there is none. */
function endOfString(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length) {
    const code = text.charCodeAt(end);
    if (code === BACKSLASH) end += 1;
    else if (code === QUOTE) return end;
    end += 1;
  }
  return text.length;
}

function noteKey(text: string, start: number, end: number, keys: Set<string> | null): void {
  if (!keys) return;
  let next = end + 1;
  while (next < text.length && text.charCodeAt(next) <= 0x20) next += 1;
  if (text.charCodeAt(next) !== COLON) return;
  const raw = text.slice(start + 1, end);
  const key = raw.includes("\\") ? unescapeKey(raw) : raw;
  if (keys.has(key)) {
    throw new Problem("invalid_request", `The field ${key} is given twice.`, { param: key });
  }
  keys.add(key);
}

function unescapeKey(raw: string): string {
  try {
    return JSON.parse(`"${raw}"`) as string;
  } catch (error) {
    throw invalid("The body is not valid JSON.", error);
  }
}

function refuseBadStrings(value: unknown, param: string): void {
  if (typeof value === "string") {
    if (value.includes("\u0000")) throw badString(param, "a NUL character");
    if (hasLoneSurrogate(value)) throw badString(param, "half of a surrogate pair");
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) refuseBadStrings(item, `${param}[${index}]`);
  } else if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      const name = param === "" ? key : `${param}.${key}`;
      refuseBadStrings(key, name);
      refuseBadStrings(item, name);
    }
  }
}

export function hasLoneSurrogate(text: string): boolean {
  return /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text);
}

function badString(param: string, what: string): Problem {
  return new Problem("invalid_request", `${param || "The body"} contains ${what}.`, {
    ...(param === "" ? {} : { param }),
  });
}

function invalid(message: string, cause?: unknown): Problem {
  return new Problem("invalid_request", message, cause === undefined ? {} : { cause });
}
