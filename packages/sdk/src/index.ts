import { type ClientOptions, createTransport } from "./core/request.ts";
import { Resources } from "./generated/resources.ts";
import { Events } from "./listen.ts";

/** The Longwave client: `new Longwave({ apiKey }).messages.send({ to, from, body })`. */
export class Longwave extends Resources {
  override readonly events: Events;

  constructor(options: ClientOptions) {
    const transport = createTransport(options);
    super(transport);
    this.events = new Events(transport);
  }
}

export {
  classifyPhone,
  formatNational,
  normalizePhone,
  type PhoneClass,
  type PhoneOptions,
  type PhoneType,
  parseTextable,
  type TextablePhone,
} from "./contract/phone.ts";
export {
  countSegments,
  type SegmentCount,
  type SmsEncoding,
  splitSegments,
} from "./contract/segments.ts";
export type * from "./contract/types.ts";
export * from "./core/errors.ts";
export { List, type Page } from "./core/page.ts";
export type { CallOptions, ClientOptions } from "./core/request.ts";
export type { ListenOptions, ListenState, ListenStore } from "./listen.ts";
export * as webhooks from "./webhooks/index.ts";
