export { operatorAccountHandlers } from "./accounts.ts";
export { carrierHandlers } from "./carriers.ts";
export { clockHandlers } from "./clock.ts";
export { operatorBillingHandlers } from "./credits.ts";
export { operatorKeyHandlers } from "./keys.ts";
export { operatorVerifiedNumberHandlers } from "./verified-numbers.ts";
export { operatorVerifyHandlers } from "./verify-blocks.ts";
