export { spendLimitHandlers } from "./handlers.ts";
export { tellSpendTask } from "./tell.ts";
