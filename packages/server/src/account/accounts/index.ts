export type { AccountRow, Caller, Operator, Principal } from "../../http/api/caller.ts";
export { authTokensOf } from "./auth-token.ts";
export { createAccount } from "./create.ts";
export { dailyQuotaOf } from "./daily-quota.ts";
export {
  countDailySend,
  countInvitationMail,
  countResetMail,
  countVerifiedNumberCode,
} from "./daily-sends.ts";
export { accountOf, readAccount, readAccounts } from "./find.ts";
export { accountHandlers, actorOf } from "./handlers.ts";
export {
  listWaitingRequests,
  liveAccessRequestsOf,
  maySend,
  type WaitingRequest,
} from "./live-access.ts";
export { readQuietHours, showOwnQuietHours, showQuietHours } from "./quiet-hours.ts";
export { auditOf, operatorActor, type Requester, recordBy } from "./record-by.ts";
export { ACCOUNT_COLUMNS } from "./sql.ts";
export { changeAccount } from "./update.ts";
