export { scheduledLane } from "./lane.ts";
export { scheduledMessageHandlers, scheduleMessage, scheduleTime } from "./schedule.ts";
