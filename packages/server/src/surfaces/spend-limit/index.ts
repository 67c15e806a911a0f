export { spendAlertTask } from "./alerts.ts";
export { spendLimitHandlers } from "./handlers.ts";
