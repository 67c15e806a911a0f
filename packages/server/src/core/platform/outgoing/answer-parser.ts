/** Receives the parts of an answer as the parser reads them. */
export interface AnswerSink {
  /** Also called for informational (1xx) answers, which another answer follows. */
  onHead(head: AnswerHead): void;
  onBody(piece: Buffer): void;
  onEnd(): void;
}

const HEADER_BYTES_MAX = 16_384;
const END_OF_HEAD = Buffer.from("\r\n\r\n");
const END_OF_LINE = Buffer.from("\r\n");
/** A chunk's size in hexadecimal, then optional extensions. */
const CHUNK_LINE =
  /^([0-9a-f]{1,12})(?:;[\w!#$%&'*+\-.^`|~]+(?:=(?:[\w!#$%&'*+\-.^`|~]+|"[^"\\]*"))?)*$/i;
const NOTHING = Buffer.alloc(0);
const KEPT_BYTES_MIN = 1_024;

type State = "head" | "body" | "chunk-line" | "chunk" | "chunk-end" | "trailer" | "over";

/**
 * Incremental HTTP/1 response parser for one connection. Optimised for webhooks: thousands of small answers, each in
 * one piece, with a head that repeats for a second.
 */
export class AnswerParser {
  readonly #sink: AnswerSink;
  #state: State = "head";
  /** Start of a head or line whose end is still missing: the first `#keptBytes` of a buffer with room to grow. */
  #kept: Buffer = NOTHING;
  #keptBytes = 0;
  /** Bytes of lines since the last chunk: limits a trailer without end. */
  #lineBytes = 0;
  /** Bytes left of the body or chunk; Infinity when the body ends with the connection. */
  #left = 0;
  #lastText = "";
  #lastHead: AnswerHead | null = null;

  constructor(sink: AnswerSink) {
    this.#sink = sink;
  }

  /** Whether an answer has begun and not ended. */
  get isWithin(): boolean {
    return this.#state !== "head" || this.#keptBytes > 0;
  }

  /** Parses one piece. Throws ViolationError; the connection is unusable then. */
  read(piece: Buffer): void {
    let rest: Buffer | null = piece;
    while (rest !== null && rest.length > 0) rest = this.#step(rest);
  }

  /** The peer closed its side. Returns whether that completes the answer. */
  readEnd(): boolean {
    if (this.#state !== "body" || this.#left !== Number.POSITIVE_INFINITY) return false;
    this.#end();
    return true;
  }

  /** Parses until more bytes are needed and returns null, or returns the rest of the piece. */
  #step(piece: Buffer): Buffer | null {
    switch (this.#state) {
      case "head":
        return this.#readHead(piece);
      case "body":
      case "chunk":
        return this.#readBody(piece);
      case "chunk-line":
      case "chunk-end":
      case "trailer":
        return this.#readLine(piece);
      case "over":
        throw new ViolationError("more than was announced");
    }
  }

  #readHead(piece: Buffer): Buffer | null {
    const { bytes, end } = this.#find(END_OF_HEAD, piece);
    if (end > HEADER_BYTES_MAX || (end < 0 && bytes.length > HEADER_BYTES_MAX)) {
      throw new ViolationError(`headers overflow ${HEADER_BYTES_MAX} bytes`);
    }
    if (end < 0) return null;
    const head = this.#headOf(bytes.toString("latin1", 0, end));
    this.#sink.onHead(head);
    if (head.status >= 200) this.#expect(head);
    return bytes.subarray(end + END_OF_HEAD.length);
  }

  #headOf(text: string): AnswerHead {
    if (this.#lastHead !== null && text === this.#lastText) return this.#lastHead;
    const head = parseHead(text);
    this.#lastText = text;
    this.#lastHead = head;
    return head;
  }

  #expect({ framing }: AnswerHead): void {
    this.#lineBytes = 0;
    if (framing === "chunked") {
      this.#state = "chunk-line";
      return;
    }
    this.#state = "body";
    this.#left = framing === "close" ? Number.POSITIVE_INFINITY : framing;
    if (framing === 0) this.#end();
  }

  #readBody(piece: Buffer): Buffer | null {
    const taken = piece.length <= this.#left ? piece : piece.subarray(0, this.#left);
    this.#left -= taken.length;
    this.#sink.onBody(taken);
    if (this.#left > 0) return null;
    if (this.#state === "chunk") this.#state = "chunk-end";
    else this.#end();
    return piece.subarray(taken.length);
  }

  #readLine(piece: Buffer): Buffer | null {
    const { bytes, end } = this.#find(END_OF_LINE, piece);
    if (end >= 0) this.#lineBytes += end;
    if (this.#lineBytes + this.#keptBytes > HEADER_BYTES_MAX) {
      throw new ViolationError(`lines between chunks overflow ${HEADER_BYTES_MAX} bytes`);
    }
    if (end < 0) return null;
    this.#takeLine(bytes.toString("latin1", 0, end));
    return bytes.subarray(end + END_OF_LINE.length);
  }

  /**
   * Looks for `mark` in the kept bytes followed by the piece, and keeps both when the mark is missing. Copies and scans
   * each byte a constant number of times, so a server that sends single bytes costs linear time.
   */
  #find(mark: Buffer, piece: Buffer): { bytes: Buffer; end: number } {
    if (this.#keptBytes === 0) {
      const end = piece.indexOf(mark);
      if (end >= 0) return { bytes: piece, end };
    }
    const before = this.#keptBytes;
    this.#keep(piece);
    const bytes = this.#kept.subarray(0, this.#keptBytes);
    const end = bytes.indexOf(mark, Math.max(0, before - mark.length + 1));
    // The returned bytes may hold the body, so the next head or line gets a buffer of its own.
    if (end >= 0) this.#dropKept();
    return { bytes, end };
  }

  #keep(piece: Buffer): void {
    const before = this.#keptBytes;
    this.#keptBytes += piece.length;
    if (this.#keptBytes > this.#kept.length) {
      const grown = Buffer.allocUnsafe(Math.max(KEPT_BYTES_MIN, 2 * this.#keptBytes));
      this.#kept.copy(grown, 0, 0, before);
      this.#kept = grown;
    }
    piece.copy(this.#kept, before);
  }

  #dropKept(): void {
    this.#kept = NOTHING;
    this.#keptBytes = 0;
  }

  #takeLine(line: string): void {
    if (this.#state === "trailer") {
      if (line === "") this.#end();
      else parseHeader(line);
      return;
    }
    if (this.#state === "chunk-end") {
      if (line !== "") throw new ViolationError("a chunk longer than its size");
      this.#state = "chunk-line";
      return;
    }
    const [, size] = CHUNK_LINE.exec(line) ?? [];
    if (size === undefined) throw new ViolationError("a chunk without a size");
    this.#left = Number.parseInt(size, 16);
    this.#state = this.#left === 0 ? "trailer" : "chunk";
    if (this.#state === "chunk") this.#lineBytes = 0;
  }

  #end(): void {
    this.#state = "over";
    this.#sink.onEnd();
  }

  /** Resets for the next answer. */
  next(): void {
    this.#state = "head";
    this.#dropKept();
  }
}

/**
 * Head of an HTTP/1 answer, and the framing of its body (RFC 9112). Any deviation is a violation and ends the
 * connection: a wrong guess about where an answer ends would give the next request a foreign answer.
 */
export interface AnswerHead {
  readonly status: number;
  /** Names in lower case; a repeated header has a list. */
  readonly headers: Record<string, string | string[]>;
  readonly framing: Framing;
  /** How long the connection may idle before its next request; 0 when it must be closed. */
  readonly idleMsMax: number;
}

/** End of the body: after a number of bytes, at the last chunk, or with the connection. */
type Framing = number | "chunked" | "close";

export class ViolationError extends Error {
  constructor(what: string) {
    super(`not an HTTP answer: ${what}`);
    this.name = "ViolationError";
  }
}

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: |$)/;
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Characters that no header may contain once the lines are split. */
const STRAY = /[\0\r\n]/;
const SPACE = 0x20;
const LENGTH = /^\d{1,15}$/;
const CLOSE = /(?:^|,)[ \t]*close[ \t]*(?:,|$)/i;
const ENDS_CHUNKED = /(?:^|,)[ \t]*chunked$/i;
const IDLE_TIMEOUT = /(?:^|,)[ \t]*timeout=(\d{1,6})[ \t]*(?:,|$)/i;

/** Below the 5 s after which a Node.js server closes an idle connection, so that we rarely lose that race. */
export const IDLE_MS_MAX = 4_000;
/** Margin by which we stop using a connection before the peer's timeout. */
const IDLE_MARGIN_MS = 1_000;

/** Reads a head without the empty line at its end. */
function parseHead(text: string): AnswerHead {
  const lines = text.split("\r\n");
  const [first = ""] = lines;
  const [, minor, status] = STATUS_LINE.exec(first) ?? [];
  if (minor === undefined || status === undefined || STRAY.test(first)) {
    throw new ViolationError("no status line");
  }
  if (status === "101") throw new ViolationError("a switch to another protocol");
  const headers = parseHeaders(lines);
  const framing = framingOf(Number(status), headers);
  const keeps = minor === "1" && framing !== "close" && !CLOSE.test(joined(headers["connection"]));
  // HTTP/1.0 has no informational responses, and nothing may follow `connection: close`.
  if (status.startsWith("1") && !keeps) throw new ViolationError("nothing after an early response");
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

function parseHeader(line: string): { name: string; value: string } {
  const colon = line.indexOf(":");
  const name = line.slice(0, Math.max(0, colon)).toLowerCase();
  if (!NAME.test(name) || STRAY.test(line)) throw new ViolationError("a line that is no header");
  return { name, value: withoutSpaces(line, colon + 1) };
}

/** The line from an offset on, trimmed. */
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
