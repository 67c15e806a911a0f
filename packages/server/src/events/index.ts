export { append, appendGroup, appendQuietly, eventGroupStep, type NewEvent } from "./append.ts";
export { eventHandlers } from "./handlers.ts";
export { eventOf, oldestShownId } from "./list.ts";
export { type EventRow, eventText, presentEvent } from "./present.ts";
export { insertEventsAlike } from "./tell-function.ts";
export { createEventWaits, type EventWaits } from "./waits.ts";
