import type { KeysDeps } from "../../account/keys/deps.ts";
import type { RateLimiter } from "../../http/limits/rate-limit.ts";
import type { OutboundDeps } from "../../messaging/outbound/index.ts";

/** What the door needs besides what a text needs on its way out. */
export interface TwilioDeps extends OutboundDeps, KeysDeps {
  /** The accounts' rate limits: a TwiML reply takes a token as a request does. */
  readonly rates: RateLimiter;
}
