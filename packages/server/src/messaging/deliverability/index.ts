export { addSent, countReceipts, countSent, countSubmits } from "./count-sql.ts";
export { deliverabilityHandlers } from "./handlers.ts";
export { readDeliverability } from "./read.ts";
export { watchDeliverability } from "./watch.ts";
