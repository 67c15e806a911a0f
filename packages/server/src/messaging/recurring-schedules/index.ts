export { scheduleFollower } from "./follow.ts";
export { scheduleHandlers } from "./handlers.ts";
export { schedulesLane } from "./lane.ts";
export { skipOccurrencesBefore } from "./skip.ts";
