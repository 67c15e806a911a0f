/**
 * One request and its answer. Answering means status and headers: once they are there, whatever happens to the body
 * only cuts it. Redirects are answers like any other.
 */
import type { AnswerHead } from "./answer-head.ts";
import type { AnswerSink } from "./answer-parser.ts";
import { type Stop, StoppedError, type StopReason } from "./stop.ts";

export interface ExchangeRequest {
  readonly method: "GET" | "POST";
  /** What the Host header says. */
  readonly authority: string;
  readonly path: string;
  /** Headers that were made into text before; they come first. */
  readonly opening: string;
  /** Name, value, name, value: an object of a dozen keys for each request would be garbage to collect. */
  readonly headers: readonly string[];
  readonly body: string | null;
  readonly bodyBytesMax: number;
  /** Whether the connection may serve further requests. */
  readonly keepAlive: boolean;
}

/** Why a body is incomplete: over the byte limit, not finished by the deadline, or broken off by the other side. */
export type CutBy = "bytes" | "deadline" | "peer";

export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[]>;
  readonly body: Buffer;
  readonly cutBy: CutBy | null;
  readonly answeredAtMs: number;
}

/** The connection was closed before anything of the answer had come. */
export class ConnectionLostError extends Error {
  constructor(options?: ErrorOptions) {
    super("the other side closed the connection", options);
    this.name = "ConnectionLostError";
  }
}

/** A server may announce a few things (103 Early Hints) before it answers, but not forever. */
const INFORMATIONAL_MAX = 8;
/** What would end a line, or be read as something else than it was written as. */
const UNSENDABLE = /[^\t\x20-\x7e]/;

/** The request as it is written to the connection. */
export function requestText(request: ExchangeRequest, bodyBytes: number): string {
  const { method, path, authority, opening, headers, body, keepAlive } = request;
  if (UNSENDABLE.test(path) || UNSENDABLE.test(authority)) throw new Error("an unsendable URL");
  const connection = keepAlive ? "keep-alive" : "close";
  const first = `${method} ${path} HTTP/1.1\r\nhost: ${authority}\r\nconnection: ${connection}\r\n`;
  const text = `${first}${opening}${headersText(headers)}`;
  return body === null ? `${text}\r\n` : `${text}content-length: ${bodyBytes}\r\n\r\n${body}`;
}

/** Headers as lines, from name, value, name, value. Throws when a value cannot be sent. */
export function headersText(headers: readonly string[]): string {
  let text = "";
  for (let at = 0; at < headers.length; at += 2) {
    const value = headers[at + 1] ?? "";
    if (UNSENDABLE.test(value)) throw new Error(`an unsendable value of ${headers[at]}`);
    text += `${headers[at]}: ${value}\r\n`;
  }
  return text;
}

/** Collects one answer, until it is whole, cut, or not to be had. */
export class Exchange implements AnswerSink {
  readonly #bodyBytesMax: number;
  readonly #now: () => number;
  readonly #resolve: (answer: Answer) => void;
  readonly #reject: (error: Error) => void;
  readonly #unregister: () => void;
  #isSettled: boolean = false;
  #informational = 0;
  #head: AnswerHead | null = null;
  #answeredAtMs = 0;
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(
    bodyBytesMax: number,
    now: () => number,
    stop: Stop,
    resolve: (answer: Answer) => void,
    reject: (error: Error) => void,
  ) {
    this.#bodyBytesMax = bodyBytesMax;
    this.#now = now;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#unregister = stop.onStop((reason) => this.#onStop(reason));
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  onHead(head: AnswerHead): void {
    if (head.status === 101) {
      this.fail(new Error("an answer in another protocol"));
    } else if (head.status < 200) {
      this.#informational += 1;
      if (this.#informational > INFORMATIONAL_MAX) {
        this.fail(new Error(`more than ${INFORMATIONAL_MAX} informational answers`));
      }
    } else {
      this.#head = head;
      this.#answeredAtMs = this.#now();
    }
  }

  onBody(piece: Buffer): void {
    const room = this.#bodyBytesMax - this.#bytes;
    this.#bytes += piece.length;
    if (piece.length <= room) {
      this.#pieces.push(piece);
      return;
    }
    this.#pieces.push(piece.subarray(0, room));
    this.#answer("bytes");
  }

  onEnd(): void {
    this.#answer(null);
  }

  /** There is no more to come. */
  fail(error: Error): void {
    if (this.#head !== null) this.#answer("peer");
    else if (this.#settle()) this.#reject(error);
  }

  #onStop(reason: StopReason): void {
    if (reason === "deadline" && this.#head !== null) this.#answer("deadline");
    else if (this.#settle()) this.#reject(new StoppedError(reason));
  }

  #answer(cutBy: CutBy | null): void {
    if (this.#head === null || !this.#settle()) return;
    const { status, headers } = this.#head;
    const [first] = this.#pieces;
    const body =
      first !== undefined && this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces);
    this.#resolve({ status, headers, body, cutBy, answeredAtMs: this.#answeredAtMs });
  }

  #settle(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    this.#unregister();
    return true;
  }
}
