import type { IncomingMessage, ServerResponse } from "node:http";
import type { Caller } from "../api/caller.ts";
import type { Serialize } from "./serializers.ts";

/** Tells the address of whoever asks, through the proxies that are trusted to say it. */
export type AddressOf = (request: IncomingMessage) => string;

/** One request and what is known of its answer. A class, because one is made for every request. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly path: string;
  readonly rawQuery: string;
  /** Headers of the answer, whatever it will be. */
  readonly headers: Record<string, string | number>;
  readonly #addressOf: AddressOf;
  params: Readonly<Record<string, string>> = {};
  serialize: Serialize = (_status, body) => JSON.stringify(body);
  /** Who asks, once that is known. */
  caller: Caller | null = null;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
    addressOf: AddressOf,
  ) {
    const url = request.url ?? "/";
    const split = url.indexOf("?");
    this.request = request;
    this.response = response;
    this.requestId = requestId;
    this.path = split === -1 ? url : url.slice(0, split);
    this.rawQuery = split === -1 ? "" : url.slice(split + 1);
    this.headers = {
      "x-request-id": requestId,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    };
    this.#addressOf = addressOf;
  }

  /** Found only when asked for: the socket's address costs a call into the system. */
  get ip(): string {
    return this.#addressOf(this.request);
  }
}
