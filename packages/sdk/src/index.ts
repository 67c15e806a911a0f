import { type ClientOptions, createTransport } from "./core/request.ts";
import { Resources } from "./generated/resources.ts";

/** The Longwave client: `new Longwave({ apiKey }).messages.send({ to, from, body })`. */
export class Longwave extends Resources {
  constructor(options: ClientOptions) {
    super(createTransport(options));
  }
}

export * from "./core/errors.ts";
export { List, type Page } from "./core/page.ts";
export type { CallOptions, ClientOptions } from "./core/request.ts";
export type * from "./generated/types.ts";
export * from "./webhooks.ts";
