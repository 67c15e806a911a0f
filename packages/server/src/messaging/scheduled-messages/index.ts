export { scheduledMessageHandlers } from "./handlers.ts";
export { scheduledLane } from "./lane.ts";
export { scheduleMessage, scheduleTime } from "./schedule.ts";
export { presentScheduled, type ScheduledRow } from "./scheduled-row.ts";
export { listUnsent } from "./unsent.ts";
