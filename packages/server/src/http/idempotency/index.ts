export { AlreadyClaimed, endClaim, findEarlier, takeClaims } from "./claims.ts";
export {
  type ClaimOwner,
  claimOf,
  type IdempotencyClaim,
  operatorOwner,
} from "./fingerprint.ts";
export {
  claimThenWork,
  createRunOnce,
  type OnceContext,
  type OnceOptions,
  transactOnce,
} from "./run-once.ts";
