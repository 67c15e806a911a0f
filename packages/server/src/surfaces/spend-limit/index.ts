export { spendAlertTask } from "./alerts.ts";
export { spendLimitHandlers } from "./handlers.ts";
export { type AlertedSpending, listAlerted } from "./sql.ts";
