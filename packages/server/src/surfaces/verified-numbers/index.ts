export { createIsVerified } from "./cache.ts";
export { verifiedNumberHandlers } from "./handlers.ts";
export {
  listVerifiedNumbers,
  lockVerifiedNumber,
  pendingCodes,
  presentVerifiedNumber,
  writeVerifiedNumber,
} from "./rows.ts";
