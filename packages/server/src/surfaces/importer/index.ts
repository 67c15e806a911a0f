export {
  type CarrierAccount,
  type HeldNumber,
  openCarrierAccount,
  readsNumbers,
  setsCallbacks,
} from "./carrier-account.ts";
export type { ImporterDeps } from "./deps.ts";
export { importHandlers } from "./handlers.ts";
export { ImportStopped } from "./provider.ts";
export { createImportRuns, EMPTY_PLAN, failLostImports } from "./runs.ts";
