import { buildCalls } from "./core/calls.ts";
import { type CallOptions, createTransport, type Method, type Verb } from "./core/request.ts";
import type { ClientOptions } from "./core/settings.ts";
import { OPERATIONS } from "./generated/operations.ts";
import type { Resources } from "./generated/resources.ts";
import { type Events, withListen } from "./listen.ts";

/** Body, query and options of a call by its path. */
export interface RequestOptions extends CallOptions {
  readonly body?: unknown;
  readonly query?: object | undefined;
}

interface Client extends Resources {
  readonly events: Events;
  /** Calls a path for which this client has no method, such as one of a newer server. */
  request<T = unknown>(method: Method, path: string, options?: RequestOptions): Promise<T>;
}

/** Methods come from a table: written out, they would be most of the SDK. */
const Base = class {
  constructor(options: ClientOptions = {}) {
    const api = createTransport(options);
    const calls = buildCalls(api, OPERATIONS) as Resources;
    const request = (method: Method, path: string, { body, query, ...rest }: RequestOptions = {}) =>
      api(method.toLowerCase() as Verb, path, { body, query, options: rest });
    Object.assign(this, calls, { events: withListen(calls.events), request });
  }
} as new (
  options?: ClientOptions,
) => Client;

/**
 * The Longwave client: `new Longwave().messages.send({ to, from, body })`. Reads LONGWAVE_API_KEY
 * and LONGWAVE_URL where no option says otherwise.
 */
export class Longwave extends Base {}

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
} from "./contract/sms-segments.ts";
export type * from "./contract/types.ts";
export * from "./core/errors.ts";
export { List, type Page } from "./core/page.ts";
export type { CallOptions, FileBody, Method } from "./core/request.ts";
export type { ClientOptions } from "./core/settings.ts";
export type { ListenOptions, ListenState, ListenStore } from "./listen.ts";
export * as webhooks from "./webhooks/index.ts";
