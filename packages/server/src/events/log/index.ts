export {
  append,
  appendGroup,
  appendWithoutDelivery,
  eventGroupStep,
  type NewEvent,
} from "./append.ts";
export { eventHandlers } from "./handlers.ts";
export { eventOf, noEvent, oldestShownId } from "./list.ts";
export { type EventRow, eventJson, presentEvent } from "./present.ts";
export { createEventWaits, type EventWaits } from "./waits.ts";
