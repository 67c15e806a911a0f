export type { AccountRow, Caller, Operator, Principal } from "../../http/api/caller.ts";
export { createAccount } from "./create.ts";
export { countDailySend, countVerifiedNumberCode } from "./daily-sends.ts";
export { accountOf, readAccount, readAccounts } from "./find.ts";
export { accountHandlers, actorOf } from "./handlers.ts";
export { maySend } from "./live-access.ts";
export { auditOf, operatorAccountHandlers, operatorActor } from "./operator.ts";
export { readQuietHours, showOwnQuietHours, showQuietHours } from "./quiet-hours.ts";
export { recordBy } from "./record-by.ts";
export { ACCOUNT_COLUMNS } from "./sql.ts";
export { changeAccount } from "./update.ts";
export {
  codeToSend,
  confirmVerifiedNumber,
  countCodeAttempt,
  deleteVerifiedNumber,
  findVerifiedNumber,
  listVerifiedNumbers,
  lockVerifiedNumber,
  pendingCodes,
  presentVerifiedNumber,
  type VerifiedNumberRow,
  writeVerifiedNumber,
} from "./verified-number-rows.ts";
