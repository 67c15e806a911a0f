import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { BODY_BYTES_MAX, Problem, type RouteSpec } from "@longwave/contract";
import { yieldToEventLoop } from "../../core/platform/clock.ts";
import { shownName } from "../../core/platform/outside-text.ts";
import { faultAt } from "./json-fault.ts";
import { type CutList, JsonScanner, type ListParts, PART_BYTES } from "./json-scanner.ts";
import { type BodyBytes, checkContentType, hasBody, readBody, valuesMaxOf } from "./read-body.ts";
import type { ValidateBody } from "./validate.ts";

/** Parts of a compiled route that decide how its body is read. */
interface RouteBody {
  readonly spec: RouteSpec;
  readonly validateBody: ValidateBody | null;
}

/** Parsed body of a request. */
export interface JsonBody {
  readonly value: unknown;
  /** Too large to process in one step of the event loop. */
  readonly isLarge: boolean;
}

const NO_BODY: JsonBody = { value: undefined, isLarge: false };

/**
 * Reads, parses and validates the body of a request; the budget bounds the bytes in memory.
 * `onParsed` gets the body before it is validated.
 */
export async function readJson(
  { spec, validateBody }: RouteBody,
  request: IncomingMessage,
  budget: BodyBytes,
  onParsed: (body: unknown) => void = () => {},
): Promise<JsonBody> {
  const isOptional = validateBody === null || spec.bodyOptional === true;
  const bytes = await bytesOf(spec, isOptional, request, budget);
  if (bytes === null) return NO_BODY;
  const parsing = parseStrictJson(bytes, valuesMaxOf(spec));
  const { value, parts } = parsing instanceof Promise ? await parsing : parsing;
  onParsed(value);
  if (!validateBody) return { value: refuseFields(value), isLarge: false };
  await validateBody(value, parts);
  return { value, isLarge: bytes.length > PART_BYTES };
}

async function bytesOf(
  spec: RouteSpec,
  isOptional: boolean,
  request: IncomingMessage,
  budget: BodyBytes,
): Promise<Buffer | null> {
  if (!hasBody(request)) {
    if (isOptional) return null;
    if (request.headers["content-type"] !== undefined) checkContentType(request);
    throw new Problem(
      "invalid_request",
      "This call needs a JSON body. Send one with Content-Type: application/json.",
    );
  }
  if (spec.method === "GET" || spec.method === "DELETE") {
    throw new Problem(
      "invalid_request",
      `${spec.method} takes no body. Send the request without one.`,
    );
  }
  if (!isOptional) checkContentType(request);
  const bytes = await readBody(request, spec.bodyBytesMax ?? BODY_BYTES_MAX, budget);
  // A chunked body may turn out to be empty; its content type does not matter then.
  if (isOptional && bytes.length === 0) return null;
  if (isOptional) checkContentType(request);
  return bytes;
}

/** Accepts an empty object on a route that takes no body. */
function refuseFields(value: unknown): undefined {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  const [field] = isObject ? Object.keys(value) : [];
  if (isObject && field === undefined) return undefined;
  throw new Problem(
    "invalid_request",
    "This call takes no fields in its body. Send none, or an empty object.",
    {
      ...(field === undefined ? {} : { param: shownName(field) }),
    },
  );
}

const BYTE_ORDER_MARK = 0xfeff;

/** A body, and the item indices at which its long lists were cut, about PART_BYTES apart. */
interface ParsedBody {
  readonly value: unknown;
  readonly parts: readonly ListParts[];
}

const NO_PARTS: readonly ListParts[] = [];

/**
 * Parses a body as JSON and refuses input that JSON.parse accepts: invalid UTF-8, a byte order mark, deep nesting,
 * objects with too many keys, repeated keys, NUL characters, lone surrogates, numbers that would be rounded, and the
 * key `__proto__`.
 * A small body is parsed at once. A large body is read and parsed in parts, with a yield to the event loop after each,
 * so that no body blocks other clients.
 */
export function parseStrictJson(
  bytes: Buffer,
  valuesMax: number,
): ParsedBody | Promise<ParsedBody> {
  if (!isUtf8(bytes)) throw invalid("The body is not valid UTF-8. Send UTF-8.");
  if (bytes.toString("utf8", 0, 3).charCodeAt(0) === BYTE_ORDER_MARK) {
    throw invalid("The body starts with a byte order mark. Send plain UTF-8.");
  }
  const scanner = new JsonScanner(bytes, valuesMax);
  if (bytes.length > PART_BYTES) return parseInParts(bytes, scanner);
  scanner.scanTo(bytes.length);
  const value = parsePart(bytes, [{ start: 0, end: bytes.length }], "");
  if (scanner.hasOddNumber || scanner.hasEscape) refuseBadValues(value, "");
  return { value, parts: NO_PARTS };
}

async function parseInParts(bytes: Buffer, scanner: JsonScanner): Promise<ParsedBody> {
  for (let end = PART_BYTES; end < bytes.length; end += PART_BYTES) {
    scanner.scanTo(end);
    await yieldToEventLoop();
  }
  scanner.scanTo(bytes.length);
  const mustLook = scanner.hasOddNumber || scanner.hasEscape;
  const lists = scanner.lists.filter((list) => list.cuts.length > 0);
  // The body without its cut lists: still valid JSON.
  const rest = parsePart(bytes, restOf(bytes, lists), "");
  const holder = rest as Record<string, unknown[]>;
  const wholes: { key: string; items: unknown[]; ends: number[] }[] = [];
  for (const list of lists) {
    const { key } = list;
    const { items, ends } = await parseList(bytes, list, mustLook);
    const last = holder[key] as unknown[];
    if (mustLook) refuseBadItems(last, key, items.length);
    wholes.push({ key, items: items.concat(last), ends: [...ends, items.length + last.length] });
    // Validated lists leave the body, so that no later step walks all of them at once.
    holder[key] = [];
  }
  if (mustLook) refuseBadValues(rest, "");
  for (const { key, items } of wholes) holder[key] = items;
  return { value: rest, parts: wholes.map(({ key, ends }) => ({ key, ends })) };
}

interface Range {
  readonly start: number;
  readonly end: number;
}

function restOf(bytes: Buffer, lists: readonly CutList[]): Range[] {
  const ranges: Range[] = [];
  let start = 0;
  for (const { openAt, cuts } of lists) {
    ranges.push({ start, end: openAt + 1 });
    start = (cuts.at(-1) as number) + 1;
  }
  ranges.push({ start, end: bytes.length });
  const size = ranges.reduce((sum, range) => sum + range.end - range.start, 0);
  if (size > BODY_BYTES_MAX) throw tooLargePart();
  return ranges;
}

async function parseList(
  bytes: Buffer,
  { key, openAt, cuts }: CutList,
  mustLook: boolean,
): Promise<{ items: unknown[]; ends: number[] }> {
  const items: unknown[] = [];
  const ends: number[] = [];
  let start = openAt + 1;
  for (const end of cuts) {
    if (end - start > BODY_BYTES_MAX) throw tooLargePart();
    const part = parsePart(bytes, [{ start, end }], "[]") as unknown[];
    if (mustLook) refuseBadItems(part, key, items.length);
    for (const item of part) items.push(item);
    ends.push(items.length);
    start = end + 1;
    await yieldToEventLoop();
  }
  return { items, ends };
}

function parsePart(bytes: Buffer, ranges: readonly Range[], around: "" | "[]"): unknown {
  const text = ranges.map(({ start, end }) => bytes.toString("utf8", start, end)).join("");
  const whole = around === "" ? text : `[${text}]`;
  try {
    return JSON.parse(whole);
  } catch (error) {
    const at = Math.min(text.length, Math.max(0, faultAt(whole) - around.length / 2));
    throw invalid(`The body is not valid JSON: ${positionOf(bytes, ranges, text, at)}.`, error);
  }
}

/** Line and column, in the whole body, of a character in one part. */
function positionOf(bytes: Buffer, ranges: readonly Range[], text: string, at: number): string {
  let left = Buffer.byteLength(text.slice(0, at));
  let position = 0;
  for (const { start, end } of ranges) {
    position = start + Math.min(left, end - start);
    left -= end - start;
    if (left <= 0) break;
  }
  const before = bytes.subarray(0, position);
  const lineStart = before.lastIndexOf(0x0a) + 1;
  let line = 1;
  for (let index = before.indexOf(0x0a); index !== -1; index = before.indexOf(0x0a, index + 1)) {
    line += 1;
  }
  const column = [...before.toString("utf8", lineStart)].length + 1;
  return `look at line ${line}, column ${column}`;
}

/** Reason for refusing a value, and the value's path. */
interface BadValue {
  readonly path: string;
  readonly what: string;
}

function refuseBadValues(value: unknown, param: string): void {
  const bad = badIn(value);
  if (bad) throw badValue(param + bad.path, bad.what);
}

function refuseBadItems(items: readonly unknown[], key: string, first: number): void {
  for (const [index, item] of items.entries()) refuseBadValues(item, `${key}[${first + index}]`);
}

/** The first invalid value. The path is assembled only while returning from it. */
function badIn(value: unknown): BadValue | null {
  if (typeof value === "string") return badString(value);
  if (typeof value === "number") return badNumber(value);
  if (typeof value !== "object" || value === null) return null;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const bad = badIn(value[index]);
      if (bad) return { path: `[${index}]${bad.path}`, what: bad.what };
    }
    return null;
  }
  for (const key of Object.keys(value)) {
    const bad = badString(key) ?? badIn((value as Record<string, unknown>)[key]);
    if (bad) return { path: `.${key}${bad.path}`, what: bad.what };
  }
  return null;
}

function badString(value: string): BadValue | null {
  if (value.includes("\u0000")) return { path: "", what: "contains a NUL character" };
  if (hasLoneSurrogate(value)) return { path: "", what: "contains half of a surrogate pair" };
  return null;
}

function badNumber(value: number): BadValue | null {
  if (!Number.isFinite(value)) return { path: "", what: "is too large a number" };
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    return { path: "", what: "is a number with more digits than can be kept" };
  }
  return null;
}

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

export function hasLoneSurrogate(text: string): boolean {
  return LONE_SURROGATE.test(text);
}

function badValue(path: string, what: string): Problem {
  const name = shownName(path.startsWith(".") ? path.slice(1) : path);
  return new Problem("invalid_request", `${name || "The body"} ${what}. Send another value.`, {
    ...(name === "" ? {} : { param: name }),
  });
}

function tooLargePart(): Problem {
  return invalid("One part of the body is larger than 1 MiB. Only its lists may be long.");
}

function invalid(message: string, cause?: unknown): Problem {
  return new Problem("invalid_request", message, cause === undefined ? {} : { cause });
}
