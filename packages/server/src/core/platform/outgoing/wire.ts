import type { Socket } from "node:net";
import { type AnswerHead, AnswerParser, type AnswerSink, IDLE_MS_MAX } from "./answer-parser.ts";
import { type Stop, StoppedError, type StopReason } from "./stop.ts";

/**
 * An open HTTP/1 connection: a request, its answer, the next request. It never reconnects; after any error it is
 * closed for good.
 */
export class Wire implements AnswerSink {
  readonly #socket: Socket;
  readonly #parser = new AnswerParser(this);
  #exchange: Exchange | null = null;
  #isReading: boolean = false;
  #idleMsMax = IDLE_MS_MAX;
  #failure: Error | null = null;

  /** `onOver` is called when the connection ends, by either side. */
  constructor(socket: Socket, onOver: () => void) {
    this.#socket = socket;
    socket.on("error", (error) => {
      this.#failure = error;
    });
    socket.on("end", () => this.#onEnd());
    socket.on("close", () => {
      this.#end(this.#lost());
      onOver();
    });
  }

  /** How long it may idle before the next request; 0 when it must be closed. */
  get idleMsMax(): number {
    const isFree = this.#exchange === null && !this.#socket.destroyed;
    // An answer to a request that was not read to its end says nothing about the connection.
    return isFree && this.#socket.writableLength === 0 ? this.#idleMsMax : 0;
  }

  /** When the answer is cut or the promise rejects, more bytes may follow: the caller must close the connection. */
  exchange(request: ExchangeRequest, stop: Stop, now: () => number): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed || this.#exchange !== null) {
        reject(new ConnectionLostError());
        return;
      }
      const bodyBytes = request.body === null ? 0 : Buffer.byteLength(request.body);
      const text = requestText(request, bodyBytes);
      this.#exchange = new Exchange(request.bodyBytesMax, now, stop, resolve, reject);
      this.#parser.next();
      // Latin-1 needs no encoder when every character is one byte.
      this.#socket.write(text, bodyBytes === (request.body?.length ?? 0) ? "latin1" : "utf8");
      if (this.#isReading) return;
      this.#isReading = true;
      this.#socket.on("data", (piece: Buffer) => this.#onData(piece));
    });
  }

  #onData(piece: Buffer): void {
    try {
      // Bytes without a request are a violation, too.
      if (this.#exchange === null) this.#socket.destroy();
      else this.#parser.read(piece);
    } catch (error) {
      this.#end(error as Error);
    }
  }

  #onEnd(): void {
    if (this.#exchange === null || this.#parser.readEnd()) this.#socket.destroy();
    else this.#end(this.#lost());
  }

  #lost(): Error {
    const options = { cause: this.#failure };
    if (this.#parser.isWithin) return new Error("the answer broke off", options);
    return new ConnectionLostError(options);
  }

  #end(error: Error): void {
    this.#exchange?.fail(error);
    this.#exchange = null;
    this.#socket.destroy();
  }

  onHead(head: AnswerHead): void {
    this.#idleMsMax = head.idleMsMax;
    this.#exchange?.onHead(head);
    this.#hangUpIfSettled();
  }

  onBody(piece: Buffer): void {
    this.#exchange?.onBody(piece);
    this.#hangUpIfSettled();
  }

  onEnd(): void {
    const exchange = this.#exchange;
    this.#exchange = null;
    exchange?.onEnd();
  }

  /** Closes the connection once the rest of the answer is unwanted. */
  #hangUpIfSettled(): void {
    if (this.#exchange?.isSettled) this.#end(new ConnectionLostError());
  }
}

export interface ExchangeRequest {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** Value of the Host header. */
  readonly authority: string;
  readonly path: string;
  /** Headers serialised in advance; they come first. */
  readonly opening: string;
  /** Name, value, name, value: an object with a dozen keys per request would be garbage to collect. */
  readonly headers: readonly string[];
  readonly body: string | null;
  readonly bodyBytesMax: number;
  /** Whether the connection may serve further requests. */
  readonly keepAlive: boolean;
}

/** Reason why a body is incomplete: over the byte limit, past the deadline, or broken off by the peer. */
export type CutBy = "bytes" | "deadline" | "peer";

export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[]>;
  readonly body: Buffer;
  readonly cutBy: CutBy | null;
  readonly answeredAtMs: number;
}

/** The connection was closed before any of the answer had arrived. */
export class ConnectionLostError extends Error {
  constructor(options?: ErrorOptions) {
    super("the other side closed the connection", options);
    this.name = "ConnectionLostError";
  }
}

/** A server may send a few informational answers (103 Early Hints) before the final one. */
const INFORMATIONAL_MAX = 8;
/** Characters that would end a line or change its meaning. */
const UNSENDABLE = /[^\t\x20-\x7e]/;

/** The request head as written to the connection. */
function requestText(request: ExchangeRequest, bodyBytes: number): string {
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

/**
 * One request and its answer, collected until it is complete, cut, or failed. Status and headers make an answer:
 * problems with the body after that only cut it. Redirects are answers like any other.
 */
class Exchange implements AnswerSink {
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
    if (head.status < 200) {
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

  /** The answer is complete. */
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
