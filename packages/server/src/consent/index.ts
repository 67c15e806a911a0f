export { type Changed, changeConsent, changeConsents, lockConsent, type Owner } from "./change.ts";
export { type ConsentChange, type StateRow, WHOLE_ACCOUNT } from "./consent-row.ts";
export { consentHandlers } from "./handlers.ts";
