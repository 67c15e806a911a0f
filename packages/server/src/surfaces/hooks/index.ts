export type { HooksDeps } from "./deps.ts";
export { hookHandlers } from "./handlers.ts";
export { hookRoutes } from "./receive.ts";
