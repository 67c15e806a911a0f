export { type AccountRotation, createAccountRotation } from "./account-rotation.ts";
export { batchFollower } from "./follow.ts";
export { batchHandlers } from "./handlers.ts";
export { batchesLane } from "./lane.ts";
export { requireBatch } from "./list.ts";
export { createResultsCache, type ResultsCache } from "./results-cache.ts";
