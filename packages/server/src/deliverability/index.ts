export { countingHandOvers, countingReceipts, countingSent } from "./count-sql.ts";
export { deliverabilityHandlers } from "./handlers.ts";
export { watchDeliverability } from "./watch.ts";
