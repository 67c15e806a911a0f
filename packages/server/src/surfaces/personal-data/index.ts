export { messageBodyHandlers } from "./delete-body.ts";
export { eraseNumbers } from "./erase.ts";
export { personalDataHandlers } from "./handlers.ts";
export { redactOldMessages } from "./redact-old.ts";
