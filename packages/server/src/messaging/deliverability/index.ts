export { addSent, countReceipts, countSent, countSubmits } from "./count-sql.ts";
export { countFailures, sumPeriod } from "./failures.ts";
export { deliverabilityHandlers } from "./handlers.ts";
export { type InstallationTraffic, readInstallationTraffic } from "./installation.ts";
export { readDeliverability } from "./read.ts";
export { watchDeliverability } from "./watch.ts";
