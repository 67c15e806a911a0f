import type { IncomingMessage } from "node:http";
import type { Work } from "./exchange.ts";

/** A page or file outside the API: health, metrics, the reference, the OpenAPI document. */
export interface PlainRoute {
  readonly path: string;
  /** null: there is nothing here for this request. */
  answer(request: IncomingMessage): PlainAnswer | null | Promise<PlainAnswer | null>;
}

export interface PlainAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One call with its own way of answering, beside the API's routes. */
export interface OwnWork {
  readonly method: string;
  readonly path: string;
  readonly work: Work;
}
