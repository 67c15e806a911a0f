import type { KeysDeps } from "../../account/keys/deps.ts";
import type { RateLimiter } from "../../http/limits/rate-limit.ts";
import type { OutboundDeps } from "../../messaging/outbound/index.ts";

/** Dependencies beside those of the sending path. */
export interface TwilioDeps extends OutboundDeps, KeysDeps {
  /** Rate limits per account: a TwiML reply takes a token like a request. */
  readonly rates: RateLimiter;
}
