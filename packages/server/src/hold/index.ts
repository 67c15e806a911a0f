export { holdHandlers } from "./handlers.ts";
export { HOLD_PATH, refuseWhileHeld } from "./refuse.ts";
