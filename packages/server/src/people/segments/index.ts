export { segmentFilter } from "./find.ts";
export { segmentHandlers } from "./handlers.ts";
