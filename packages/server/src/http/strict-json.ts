import { isUtf8 } from "node:buffer";
import { Problem } from "@longwave/contract";

export const JSON_DEPTH_MAX = 32;
const SHOWN_NAME_CHARS_MAX = 100;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COLON = 0x3a;
const COMMA = 0x2c;
const BYTE_ORDER_MARK = 0xfeff;
const ZERO = 0x30;
const NINE = 0x39;
const SMALL_E = 0x65;
const TO_SMALL = 0x20;
/** A number with fewer digits loses none. */
const DIGITS_KEPT_MAX = 15;

/**
 * Parses a body as JSON and refuses what JSON.parse lets through: invalid UTF-8, a byte order
 * mark, deep nesting, repeated keys, NUL characters, lone surrogates, numbers that would be
 * rounded, and the key `__proto__`.
 */
export function parseStrictJson(bytes: Buffer, tokensMax: number): unknown {
  if (!isUtf8(bytes)) throw invalid("The body is not valid UTF-8.");
  const text = bytes.toString("utf8");
  if (text.charCodeAt(0) === BYTE_ORDER_MARK) {
    throw invalid("The body starts with a byte order mark. Send plain UTF-8.");
  }
  const hasOddNumber = scan(text, tokensMax);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalid(`The body is not valid JSON${whereOf(error)}.`, error);
  }
  // Only an escape can hide a NUL or half a surrogate pair in text that is UTF-8.
  if (hasOddNumber || text.includes("\\")) refuseBadValues(value, "");
  return value;
}

/** Where the parser stopped. The rest of its message quotes the body, which may hold secrets. */
function whereOf(error: unknown): string {
  const found = /position \d+/.exec((error as Error).message);
  return found ? ` (${found[0]})` : "";
}

/** An object or array that is open at a point of the text. */
interface Open {
  /** The keys seen so far; null in an array. */
  readonly keys: Set<string> | null;
  key: string;
  index: number;
}

/**
 * One pass over the text: nesting, number of values, and keys that occur twice in an object. Answers
 * whether a number is long enough to lose digits, or has an exponent and may overflow.
 */
function scan(text: string, tokensMax: number): boolean {
  const open: Open[] = [];
  let tokens = 0;
  let hasOddNumber = false;
  for (let position = 0; position < text.length; position += 1) {
    const code = text.charCodeAt(position);
    if (code === QUOTE) {
      const end = endOfString(text, position);
      noteKey(text, position, end, open);
      position = end;
    } else if (code >= ZERO && code <= NINE) {
      const end = endOfDigits(text, position);
      hasOddNumber ||= end - position > DIGITS_KEPT_MAX || isExponent(text.charCodeAt(end));
      position = end - 1;
      continue;
    } else if (!noteStructure(code, open)) continue;
    tokens += 1;
    if (tokens > tokensMax) throw invalid(`The body has more than ${tokensMax} values.`);
  }
  return hasOddNumber;
}

/** Whether the character begins something that counts: an object, an array or its next part. */
function noteStructure(code: number, open: Open[]): boolean {
  switch (code) {
    case OPEN_BRACE:
      openNested(open, new Set());
      return true;
    case OPEN_BRACKET:
      openNested(open, null);
      return true;
    case COMMA:
      noteComma(open);
      return true;
    case CLOSE_BRACE:
    case CLOSE_BRACKET:
      open.pop();
      return false;
    default:
      return false;
  }
}

function isExponent(code: number): boolean {
  return (code | TO_SMALL) === SMALL_E;
}

function endOfDigits(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && text.charCodeAt(end) >= ZERO && text.charCodeAt(end) <= NINE)
    end += 1;
  return end;
}

function openNested(open: Open[], keys: Set<string> | null): void {
  open.push({ keys, key: "", index: 0 });
  if (open.length > JSON_DEPTH_MAX) {
    throw invalid(`The body is nested more than ${JSON_DEPTH_MAX} levels deep.`);
  }
}

function noteComma(open: readonly Open[]): void {
  const inner = open.at(-1);
  if (inner) inner.index += 1;
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

function noteKey(text: string, start: number, end: number, open: readonly Open[]): void {
  const inner = open.at(-1);
  if (!inner?.keys) return;
  let next = end + 1;
  while (next < text.length && text.charCodeAt(next) <= 0x20) next += 1;
  if (text.charCodeAt(next) !== COLON) return;
  const raw = text.slice(start + 1, end);
  const key = raw.includes("\\") ? unescapeKey(raw) : raw;
  const isTwice = inner.keys.has(key);
  inner.keys.add(key);
  inner.key = key;
  if (!isTwice && key !== "__proto__") return;
  const param = shownName(pathOf(open));
  const what = isTwice ? "is given twice" : "is not a known field";
  throw new Problem("invalid_request", `${param} ${what}.`, { param });
}

/** `recipients[3].to` of the point that the scan has reached. */
function pathOf(open: readonly Open[]): string {
  return open.reduce((path, one) => {
    if (one.keys === null) return `${path}[${one.index}]`;
    return path === "" ? one.key : `${path}.${one.key}`;
  }, "");
}

function unescapeKey(raw: string): string {
  try {
    return JSON.parse(`"${raw}"`) as string;
  } catch (error) {
    throw invalid("The body is not valid JSON.", error);
  }
}

function refuseBadValues(value: unknown, param: string): void {
  if (typeof value === "string") refuseBadString(value, param);
  else if (typeof value === "number") refuseBadNumber(value, param);
  else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) refuseBadValues(item, `${param}[${index}]`);
  } else if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      const name = param === "" ? key : `${param}.${key}`;
      refuseBadString(key, name);
      refuseBadValues(item, name);
    }
  }
}

function refuseBadString(value: string, param: string): void {
  if (value.includes("\u0000")) throw badValue(param, "contains a NUL character");
  if (hasLoneSurrogate(value)) throw badValue(param, "contains half of a surrogate pair");
}

function refuseBadNumber(value: number, param: string): void {
  if (!Number.isFinite(value)) throw badValue(param, "is too large a number");
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw badValue(param, "is a number with more digits than can be kept");
  }
}

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

export function hasLoneSurrogate(text: string): boolean {
  return LONE_SURROGATE.test(text);
}

/** A field's name as an error shows it: whatever was sent, never more than a line of it. */
export function shownName(name: string): string {
  if (name.length <= SHOWN_NAME_CHARS_MAX) return name;
  return `${[...name.slice(0, SHOWN_NAME_CHARS_MAX * 2)].slice(0, SHOWN_NAME_CHARS_MAX).join("")}…`;
}

function badValue(param: string, what: string): Problem {
  const name = shownName(param);
  return new Problem("invalid_request", `${name || "The body"} ${what}.`, {
    ...(name === "" ? {} : { param: name }),
  });
}

function invalid(message: string, cause?: unknown): Problem {
  return new Problem("invalid_request", message, cause === undefined ? {} : { cause });
}
