export { append, appendQuietly, type NewEvent } from "./append.ts";
