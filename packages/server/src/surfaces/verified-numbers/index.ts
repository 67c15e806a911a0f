export { verifiedNumberHandlers } from "./handlers.ts";
