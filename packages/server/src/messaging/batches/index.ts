export { type AccountRotation, createAccountRotation } from "./account-rotation.ts";
export { batchHandlers } from "./handlers.ts";
export { batchesLane } from "./lane.ts";
export { requireBatch } from "./list.ts";
export { batchFollower } from "./on-message-status.ts";
export { createResultsCache, type ResultsCache } from "./results-cache.ts";
