export { scheduledLane } from "./lane.ts";
export {
  presentScheduled,
  type ScheduledRow,
  scheduledMessageHandlers,
  scheduleMessage,
  scheduleTime,
} from "./schedule.ts";
export { listUnsent } from "./unsent.ts";
