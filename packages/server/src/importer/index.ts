export type { ImporterDeps } from "./deps.ts";
export { importHandlers } from "./handlers.ts";
export { createImportRuns, failSilentImports } from "./runs.ts";
