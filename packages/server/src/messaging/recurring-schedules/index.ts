export { scheduleHandlers } from "./handlers.ts";
export { schedulesLane } from "./lane.ts";
export { scheduleFollower } from "./on-message-status.ts";
export { skipOccurrencesBefore } from "./skip.ts";
