export type { ImporterDeps } from "./deps.ts";
export { importHandlers } from "./handlers.ts";
export { createImportRuns, EMPTY_PLAN, failLostImports } from "./runs.ts";
