export { messageHandlers } from "./handlers.ts";
export { batchOutcomes, type OutcomeSum, receivedSince, wakeMessages } from "./of-batch.ts";
export { presentMessage } from "./present.ts";
export { countByDay, type DayCount } from "./usage.ts";
