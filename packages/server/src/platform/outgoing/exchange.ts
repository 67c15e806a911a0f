/**
 * One request and its answer over one connection. Answering means status and headers: once they are there, whatever
 * happens to the body only cuts it. Redirects are answers like any other.
 */
import type { Dispatcher } from "undici";
import type { Connection } from "./connections.ts";
import { type Stop, StoppedError, type StopReason } from "./stop.ts";

export interface ExchangeRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string | Buffer | null;
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

/** A server may announce a few things (103 Early Hints) before it answers, but not forever. */
const INFORMATIONAL_MAX = 8;

/** When the answer is cut or the promise rejects, the caller must close the connection: more may be on its way. */
export function exchange(
  connection: Connection,
  request: ExchangeRequest,
  stop: Stop,
  now: () => number,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const reader = new AnswerReader(request.bodyBytesMax, now, resolve, reject);
    reader.stopWith(stop);
    connection.client.dispatch(
      {
        method: request.method,
        path: request.path,
        headers: request.headers,
        body: request.body,
        reset: !request.keepAlive,
      },
      reader,
    );
  });
}

class AnswerReader implements Dispatcher.DispatchHandler {
  readonly #bodyBytesMax: number;
  readonly #now: () => number;
  readonly #resolve: (answer: Answer) => void;
  readonly #reject: (error: Error) => void;
  #unregister: () => void = () => {};
  #settled: boolean = false;
  #informational = 0;
  #status = 0;
  #headers: Record<string, string | string[]> = {};
  #answeredAtMs = 0;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(
    bodyBytesMax: number,
    now: () => number,
    resolve: (answer: Answer) => void,
    reject: (error: Error) => void,
  ) {
    this.#bodyBytesMax = bodyBytesMax;
    this.#now = now;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  stopWith(stop: Stop): void {
    this.#unregister = stop.onStop((reason) => this.#onStop(reason));
  }

  /** Its presence tells undici which kind of handler this is. */
  onRequestStart(): void {}

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (this.#settled) return;
    if (status < 200) {
      this.#informational += 1;
      if (this.#informational > INFORMATIONAL_MAX) {
        this.#fail(new Error(`more than ${INFORMATIONAL_MAX} informational answers`));
      }
      return;
    }
    this.#status = status;
    this.#headers = headers as Record<string, string | string[]>;
    this.#answeredAtMs = this.#now();
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled) return;
    const room = this.#bodyBytesMax - this.#bytes;
    // Copied, because a few bytes would otherwise hold on to the whole block they were read into.
    if (room > 0) this.#chunks.push(Buffer.from(chunk.subarray(0, room)));
    this.#bytes += chunk.length;
    if (this.#bytes > this.#bodyBytesMax) this.#answer("bytes");
  }

  onResponseEnd(): void {
    this.#answer(null);
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#status === 0) this.#fail(error);
    else this.#answer("peer");
  }

  #onStop(reason: StopReason): void {
    if (reason === "deadline" && this.#status !== 0) this.#answer("deadline");
    else this.#fail(new StoppedError(reason));
  }

  #answer(cutBy: CutBy | null): void {
    if (!this.#settle()) return;
    const [first] = this.#chunks;
    const body =
      first !== undefined && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks);
    this.#resolve({
      status: this.#status,
      headers: this.#headers,
      body,
      cutBy,
      answeredAtMs: this.#answeredAtMs,
    });
  }

  #fail(error: Error): void {
    if (!this.#settle()) return;
    this.#reject(error);
  }

  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    this.#unregister();
    return true;
  }
}
