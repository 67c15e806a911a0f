export type { VerifyDeps } from "./deps.ts";
export { createVerificationFollower } from "./follow.ts";
export { verifyHandlers } from "./handlers.ts";
export { heedServiceText } from "./heed-stop.ts";
export { operatorVerifyHandlers } from "./operator.ts";
export { codeSender, hasStoppedService, maskedText, takeTurnOf } from "./own-code.ts";
export { newestVerification, readVerification } from "./read.ts";
export { countVerified } from "./usage.ts";
export { createVerificationWriters, type VerificationWriters } from "./writers.ts";
