import { accountHandlers, operatorAccountHandlers } from "./accounts/index.ts";
import { operatorBillingHandlers } from "./billing/operator.ts";
import type { Handlers } from "./http/context.ts";
import { operatorKeyHandlers } from "./keys/index.ts";
import { clockHandlers } from "./queue/clock-handlers.ts";

/** Every route's handler, one line per family. A route without one does not compile. */
export const handlers: Handlers = {
  ...accountHandlers,
  ...operatorAccountHandlers,
  ...operatorBillingHandlers,
  ...operatorKeyHandlers,
  ...clockHandlers,
};
