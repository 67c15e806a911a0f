export { append, appendQuietly, type NewEvent } from "./append.ts";
export { eventCtes } from "./sql.ts";
