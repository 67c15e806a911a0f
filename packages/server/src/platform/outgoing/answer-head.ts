/**
 * The head of an HTTP/1 answer, and what it says about the rest (RFC 9112). Whatever is not spelled as it should be
 * is a violation and ends the connection: guessing where an answer ends would give the next request another's answer.
 */
export interface AnswerHead {
  readonly status: number;
  /** Names in lower case; a repeated one has a list. */
  readonly headers: Record<string, string | string[]>;
  readonly framing: Framing;
  /** How long the connection may idle before its next request; 0 when there must be none. */
  readonly idleMsMax: number;
}

/** Where the body ends: after so many bytes, where its last chunk says so, or with the connection. */
export type Framing = number | "chunked" | "close";

export class ViolationError extends Error {
  constructor(what: string) {
    super(`not an HTTP answer: ${what}`);
    this.name = "ViolationError";
  }
}

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: |$)/;
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** What remains of these after the lines were told apart was no end of a line. */
const STRAY = /[\0\r\n]/;
const SPACE = 0x20;
const LENGTH = /^\d{1,15}$/;
const CLOSE = /(?:^|,)[ \t]*close[ \t]*(?:,|$)/i;
const ENDS_CHUNKED = /(?:^|,)[ \t]*chunked$/i;
const IDLE_TIMEOUT = /(?:^|,)[ \t]*timeout=(\d{1,6})[ \t]*(?:,|$)/i;

/** Below the 5 s after which a Node.js server closes an idle connection, so that we rarely lose that race. */
export const IDLE_MS_MAX = 4_000;
/** How much earlier than the other side says we stop using a connection. */
const IDLE_MARGIN_MS = 1_000;

/** Reads a head without the empty line at its end. */
export function parseHead(text: string): AnswerHead {
  const lines = text.split("\r\n");
  const [first = ""] = lines;
  const [, minor, status] = STATUS_LINE.exec(first) ?? [];
  if (minor === undefined || STRAY.test(first)) throw new ViolationError("no status line");
  const headers = parseHeaders(lines);
  const framing = framingOf(Number(status), headers);
  const keeps = minor === "1" && framing !== "close" && !CLOSE.test(joined(headers["connection"]));
  return { status: Number(status), headers, framing, idleMsMax: keeps ? idleMsOf(headers) : 0 };
}

function parseHeaders(lines: readonly string[]): AnswerHead["headers"] {
  // Without a prototype: a header may have any name.
  const headers = Object.create(null) as AnswerHead["headers"];
  for (let at = 1; at < lines.length; at += 1) {
    const { name, value } = parseHeader(lines[at] ?? "");
    const before = headers[name];
    if (before === undefined) headers[name] = value;
    else if (typeof before === "string") headers[name] = [before, value];
    else before.push(value);
  }
  return headers;
}

export function parseHeader(line: string): { name: string; value: string } {
  const colon = line.indexOf(":");
  const name = line.slice(0, Math.max(0, colon)).toLowerCase();
  if (!NAME.test(name) || STRAY.test(line)) throw new ViolationError("a line that is no header");
  return { name, value: withoutSpaces(line, colon + 1) };
}

/** The line from a place on, without spaces at both ends. */
function withoutSpaces(line: string, from: number): string {
  let start = from;
  let end = line.length;
  while (start < end && line.charCodeAt(start) === SPACE) start += 1;
  while (end > start && line.charCodeAt(end - 1) === SPACE) end -= 1;
  return line.slice(start, end);
}

function framingOf(status: number, headers: AnswerHead["headers"]): Framing {
  const length = headers["content-length"];
  const coding = headers["transfer-encoding"];
  if (coding !== undefined && length !== undefined) {
    throw new ViolationError("two ways to tell where the body ends");
  }
  if (length !== undefined && (typeof length !== "string" || !LENGTH.test(length))) {
    throw new ViolationError("a content-length that is none");
  }
  if (status < 200 || status === 204 || status === 304) return 0;
  if (coding !== undefined) return ENDS_CHUNKED.test(joined(coding)) ? "chunked" : "close";
  return length === undefined ? "close" : Number(length);
}

function idleMsOf(headers: AnswerHead["headers"]): number {
  const [, seconds] = IDLE_TIMEOUT.exec(joined(headers["keep-alive"])) ?? [];
  if (seconds === undefined) return IDLE_MS_MAX;
  return Math.max(0, Math.min(IDLE_MS_MAX, Number(seconds) * 1_000 - IDLE_MARGIN_MS));
}

function joined(value: string | string[] | undefined): string {
  return typeof value === "string" ? value : (value?.join(",") ?? "");
}
