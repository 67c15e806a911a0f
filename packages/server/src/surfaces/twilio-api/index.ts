import type { Calls } from "../../http/server/calls.ts";
import { accountRoutes } from "./accounts.ts";
import { createApi, type TwilioApi } from "./api.ts";
import type { TwilioDeps } from "./deps.ts";
import { lookupRoutes } from "./lookups.ts";
import { messageRoutes } from "./messages.ts";
import { numberRoutes } from "./numbers.ts";
import { serviceRoutes } from "./services.ts";
import { verifyRoutes } from "./verify.ts";
import { verifyServiceRoutes } from "./verify-services.ts";

export type { TwilioApi } from "./api.ts";
export { sendCallback } from "./callbacks.ts";

/** Every route of the Twilio-compatible API. */
export const TWILIO_ROUTES = [
  ...accountRoutes,
  ...messageRoutes,
  ...numberRoutes,
  ...serviceRoutes,
  ...verifyServiceRoutes,
  ...verifyRoutes,
  ...lookupRoutes,
];

/** Twilio's paths at the root. Translation only: Longwave's own routes do the work. */
export function createTwilioApi(deps: TwilioDeps, pipeline: Calls): TwilioApi {
  return createApi(deps, pipeline, TWILIO_ROUTES);
}
