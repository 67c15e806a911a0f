export { listOwnBlocks } from "./blocks.ts";
export type { VerifyDeps } from "./deps.ts";
export { createVerificationFollower } from "./follow.ts";
export { verifyHandlers } from "./handlers.ts";
export { onServiceOptOut } from "./on-opt-out.ts";
export { operatorVerifyHandlers } from "./operator.ts";
export { newestVerification, readVerification } from "./read.ts";
export { countVerified } from "./usage.ts";
export {
  codeSender,
  countVerifiedNumberCodeAnswered,
  hasStoppedService,
  maskedText,
  scoreVerifiedNumberCode,
  type VerifiedNumberCode,
} from "./verified-number-code.ts";
export { createVerificationWriters, type VerificationWriters } from "./writers.ts";
