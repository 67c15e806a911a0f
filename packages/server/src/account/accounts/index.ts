export type { AccountRow, Caller, Operator, Principal } from "../api/caller.ts";
export { createAccount } from "./create.ts";
export { accountOf, readAccount, readAccounts } from "./find.ts";
export { accountHandlers, actorOf } from "./handlers.ts";
export { auditOf, operatorAccountHandlers, operatorActor } from "./operator.ts";
export {
  codesOfUse,
  codeToSend,
  deleteOwnPhone,
  findOwnPhone,
  listOwnPhones,
  lockOwnPhone,
  type OwnPhoneRow,
  presentOwnPhone,
  tryOwnPhone,
  verifyOwnPhone,
  writeOwnPhone,
} from "./own-phones.ts";
export { readQuietHours, showOwnQuietHours, showQuietHours } from "./quiet-hours.ts";
export { recordBy } from "./record-by.ts";
export { ACCOUNT_COLUMNS } from "./sql.ts";
export { changeAccount } from "./update.ts";
