import type { IncomingMessage } from "node:http";

/** A page or file outside the API: health, metrics, the reference, the OpenAPI document. */
export interface PlainRoute {
  readonly path: string;
  answer(request: IncomingMessage): PlainAnswer | Promise<PlainAnswer>;
}

export interface PlainAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}
