/**
 * An open connection that speaks HTTP/1: a request, its answer, the next request. It never connects anew; once
 * anything is wrong with it, it is closed for good.
 */
import type { Socket } from "node:net";
import { type AnswerHead, IDLE_MS_MAX } from "./answer-head.ts";
import { AnswerParser, type AnswerSink } from "./answer-parser.ts";
import {
  type Answer,
  ConnectionLostError,
  Exchange,
  type ExchangeRequest,
  requestText,
} from "./exchange.ts";
import type { Stop } from "./stop.ts";

export class Wire implements AnswerSink {
  readonly #socket: Socket;
  readonly #parser = new AnswerParser(this);
  #exchange: Exchange | null = null;
  #isReading: boolean = false;
  #idleMsMax = IDLE_MS_MAX;
  #failure: Error | null = null;

  /** `onOver` is called when the connection ends, whoever ended it. */
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

  /** How long it may idle before the next request; 0 when it can have none. */
  get idleMsMax(): number {
    const isFree = this.#exchange === null && !this.#socket.destroyed;
    // An answer to a request that was not read to its end promises nothing about the rest.
    return isFree && this.#socket.writableLength === 0 ? this.#idleMsMax : 0;
  }

  /** When the answer is cut or the promise rejects, more may be on its way: the caller must close the connection. */
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
      // Where every character is one byte, no encoder is needed.
      this.#socket.write(text, bodyBytes === (request.body?.length ?? 0) ? "latin1" : "utf8");
      if (this.#isReading) return;
      this.#isReading = true;
      this.#socket.on("data", (piece: Buffer) => this.#onData(piece));
    });
  }

  #onData(piece: Buffer): void {
    try {
      // What nobody asked for is a violation, too.
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

  /** Nobody waits for the rest. */
  #hangUpIfSettled(): void {
    if (this.#exchange?.isSettled) this.#end(new ConnectionLostError());
  }
}
