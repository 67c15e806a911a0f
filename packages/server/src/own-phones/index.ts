export { ownPhoneHandlers } from "./handlers.ts";
