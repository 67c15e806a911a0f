export {
  type ClaimOwner,
  claimOf,
  type IdempotencyClaim,
  OPERATOR_OWNER,
} from "./claim.ts";
export { answerOnce } from "./outside-work.ts";
export { handleFileOnce, handleOnce, type OnceContext } from "./request.ts";
export {
  AlreadyClaimed,
  claimAnswerStep,
  claimReleaseStep,
  findEarlier,
  isSuccess,
  releaseClaim,
  type StoredAnswer,
  storeClaimAnswer,
  takeClaim,
  takeClaims,
} from "./store.ts";
