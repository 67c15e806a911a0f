/**
 * Reads the answers that come over one connection, piece by piece and however the pieces are cut. Written for what
 * webhooks are: a small answer in one piece, thousands of times, with a head that is the same for a second.
 */
import { type AnswerHead, parseHead, parseHeader, ViolationError } from "./answer-head.ts";

export interface AnswerSink {
  /** Also for informational answers, which another one follows. */
  onHead(head: AnswerHead): void;
  onBody(piece: Buffer): void;
  onEnd(): void;
}

const HEADER_BYTES_MAX = 16_384;
const END_OF_HEAD = Buffer.from("\r\n\r\n");
const END_OF_LINE = Buffer.from("\r\n");
/** A chunk's size in hexadecimal, then whatever names and values its sender adds to it. */
const CHUNK_LINE =
  /^([0-9a-f]{1,12})(?:;[\w!#$%&'*+\-.^`|~]+(?:=(?:[\w!#$%&'*+\-.^`|~]+|"[^"\\]*"))?)*$/i;
const NOTHING = Buffer.alloc(0);

type State = "head" | "body" | "chunk-line" | "chunk" | "chunk-end" | "trailer" | "over";

export class AnswerParser {
  readonly #sink: AnswerSink;
  #state: State = "head";
  /** The beginning of a head or line whose end has not come yet. */
  #kept: Buffer = NOTHING;
  /** Bytes of lines since the last chunk: a body may not hide an endless trailer. */
  #lineBytes = 0;
  /** Bytes of the body or chunk to come; infinite when the connection's end is the body's. */
  #left = 0;
  #lastText = "";
  #lastHead: AnswerHead | null = null;

  constructor(sink: AnswerSink) {
    this.#sink = sink;
  }

  /** Whether an answer has begun and not ended. */
  get isWithin(): boolean {
    return this.#state !== "head" || this.#kept.length > 0;
  }

  /** Takes what came. Throws ViolationError; the connection is of no use then. */
  read(piece: Buffer): void {
    let rest: Buffer | null = piece;
    while (rest !== null && rest.length > 0) rest = this.#step(rest);
  }

  /** The other side has sent all it will. Answers whether that ends the answer. */
  readEnd(): boolean {
    if (this.#state !== "body" || this.#left !== Number.POSITIVE_INFINITY) return false;
    this.#end();
    return true;
  }

  /** Reads on until more is needed; null then, and else what is left of the piece. */
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
    const bytes = this.#kept.length === 0 ? piece : Buffer.concat([this.#kept, piece]);
    const end = bytes.indexOf(END_OF_HEAD);
    if (end > HEADER_BYTES_MAX || (end < 0 && bytes.length > HEADER_BYTES_MAX)) {
      throw new ViolationError(`headers overflow ${HEADER_BYTES_MAX} bytes`);
    }
    if (end < 0) {
      this.#kept = bytes;
      return null;
    }
    this.#kept = NOTHING;
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
    const bytes = this.#kept.length === 0 ? piece : Buffer.concat([this.#kept, piece]);
    const end = bytes.indexOf(END_OF_LINE);
    this.#kept = end < 0 ? bytes : NOTHING;
    if (end >= 0) this.#lineBytes += end;
    if (this.#lineBytes + this.#kept.length > HEADER_BYTES_MAX) {
      throw new ViolationError(`lines between chunks overflow ${HEADER_BYTES_MAX} bytes`);
    }
    if (end < 0) return null;
    this.#takeLine(bytes.toString("latin1", 0, end));
    return bytes.subarray(end + END_OF_LINE.length);
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

  /** Makes ready for the next answer. */
  next(): void {
    this.#state = "head";
    this.#kept = NOTHING;
  }
}
