export { batchFollower } from "./follow.ts";
export { batchHandlers } from "./handlers.ts";
export { batchesLane } from "./lane.ts";
export { createResultsCache, type ResultsCache } from "./results-cache.ts";
export { createTurnOrder, type TurnOrder } from "./turn-order.ts";
