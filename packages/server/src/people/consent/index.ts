export { optedOutAmong } from "./allowed.ts";
export {
  type Changed,
  changeConsent,
  changeConsents,
  openLedger,
  writeChanges,
} from "./change.ts";
export { type ConsentChange, type StateRow, WHOLE_ACCOUNT } from "./consent-row.ts";
export type { ConsentDeps } from "./deps.ts";
export { consentHandlers } from "./handlers.ts";
export { type ConsentTextDeps, type Heeded, heedKeyword, type TextedUs } from "./heed-keyword.ts";
export { consentDate } from "./import.ts";
export { consentJoins, hasOptedOut, IS_OPTED_OUT } from "./opted-out-sql.ts";
export { parsePhone, phoneOf } from "./phone-input.ts";
