export { forgetVerifications } from "./forget.ts";
export { verifyHandlers } from "./handlers.ts";
export { verificationSendsLane } from "./start/sends-lane.ts";
export { countVerified } from "./usage.ts";
export { createVerificationWriters, type VerificationWriters } from "./writers.ts";
