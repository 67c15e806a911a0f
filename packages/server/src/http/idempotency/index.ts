export {
  type ClaimOwner,
  claimOf,
  type IdempotencyClaim,
  operatorOwner,
} from "./claim.ts";
export {
  claimThenWork,
  createRunOnce,
  type OnceContext,
  type OnceOptions,
  transactOnce,
} from "./run-once.ts";
export { AlreadyClaimed, endClaim, findEarlier, takeClaims } from "./store.ts";
