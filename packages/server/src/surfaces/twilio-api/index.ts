import type { Calls } from "../http/calls.ts";
import type { TwilioDeps } from "./deps.ts";
import { openDoor, type TwilioDoor } from "./door.ts";
import { lookupRoutes } from "./lookups.ts";
import { messageRoutes } from "./messages.ts";
import { numberRoutes } from "./numbers.ts";
import { verifyRoutes } from "./verify.ts";

export { callBack } from "./callbacks.ts";
export { CLOSED_DOOR } from "./door.ts";
export { tokenOf } from "./endpoint.ts";

/** The other provider's paths at our root. Translation only: what is done behind them is what we do anyway. */
export function createTwilioDoor(deps: TwilioDeps, pipeline: Calls): TwilioDoor {
  const routes = [...messageRoutes, ...numberRoutes, ...verifyRoutes, ...lookupRoutes];
  return openDoor(deps, pipeline, routes);
}
