export { messageHandlers } from "./handlers.ts";
export { listMessages } from "./list.ts";
export { batchOutcomes, type OutcomeSum, receivedSince, wakeMessages } from "./of-batch.ts";
export { presentMessage } from "./present.ts";
export { sendMessage } from "./send.ts";
export { countByDay, type DayCount } from "./usage.ts";
export { warmUpLists } from "./warm-up.ts";
