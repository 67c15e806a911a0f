export type { AccountRow, Caller, Operator, Principal } from "../api/caller.ts";
export { createAccount } from "./create.ts";
export { accountHandlers, actorOf } from "./handlers.ts";
export { accountOf, auditOf, operatorAccountHandlers, operatorActor } from "./operator.ts";
export { readAccount, readAccounts } from "./read.ts";
export { ACCOUNT_COLUMNS } from "./sql.ts";
