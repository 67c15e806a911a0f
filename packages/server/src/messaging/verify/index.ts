export { type BlockRow, listAllBlocks, listOwnBlocks, presentBlock } from "./blocks.ts";
export type { VerifyDeps } from "./deps.ts";
export { type ForeignCode, scoreForeignCode } from "./foreign-code.ts";
export { prefixKey } from "./fraud/counter-keys.ts";
export { resetServiceLoss, SERVICE_OWNER } from "./fraud/service-loss.ts";
export { verifyHandlers } from "./handlers.ts";
export { createVerificationFollower } from "./on-message-status.ts";
export { onServiceOptOut } from "./on-opt-out.ts";
export { newestVerification, readVerification } from "./read.ts";
export { secondCodeTask } from "./second-code.ts";
export {
  codeSender,
  countVerifiedNumberCodeAnswered,
  hasStoppedService,
  maskedText,
  scoreVerifiedNumberCode,
  stoppedService,
  type VerifiedNumberCode,
} from "./verified-number-code.ts";
export { createVerificationWriters, type VerificationWriters } from "./writers.ts";
