import type { IncomingMessage } from "node:http";

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
