export { append, type NewEvent } from "./append.ts";
