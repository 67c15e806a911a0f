export {
  type ConsentResult,
  changeConsent,
  changeConsents,
  openLedgers,
  recordFromPhone,
  writeBoth,
} from "./change.ts";
export {
  type ConsentChange,
  type LedgerOwner,
  type StateRow,
  WHOLE_ACCOUNT,
} from "./consent-row.ts";
export type { ConsentDeps } from "./deps.ts";
export { createErasedPhones, type ErasedPhones, erasedPhoneHash } from "./erased-phones.ts";
export { readEvidence } from "./evidence.ts";
export {
  handleKeyword,
  type KeywordDeps,
  type KeywordMessage,
  type KeywordOutcome,
} from "./handle-keyword.ts";
export { consentHandlers } from "./handlers.ts";
export { consentDate } from "./import.ts";
export { optedOutAmong, undecidedAmong } from "./opted-out.ts";
export { consentJoins, hasOptedOut, IS_OPTED_OUT } from "./opted-out-sql.ts";
