import type { Calls } from "../../http/server/calls.ts";
import { openApi, type TwilioApi } from "./api.ts";
import type { TwilioDeps } from "./deps.ts";
import { lookupRoutes } from "./lookups.ts";
import { messageRoutes } from "./messages.ts";
import { numberRoutes } from "./numbers.ts";
import { verifyRoutes } from "./verify.ts";

export { DISABLED_API } from "./api.ts";
export { callBack } from "./callbacks.ts";
export { tokenOf } from "./endpoint.ts";

/** Every route of the Twilio-compatible API. */
export const TWILIO_ROUTES = [...messageRoutes, ...numberRoutes, ...verifyRoutes, ...lookupRoutes];

/** The other provider's paths at our root. Translation only: what is done behind them is what we do anyway. */
export function createTwilioApi(deps: TwilioDeps, pipeline: Calls): TwilioApi {
  return openApi(deps, pipeline, TWILIO_ROUTES);
}
