export {
  type Accepted,
  acceptIn,
  createMessageWriter,
  type MessageWriter,
  type NewMessage,
  type Verdict,
} from "./accept.ts";
export { dispatchLane } from "./dispatch-lane.ts";
export { acceptedRow, draftLive, draftSimulated, priceOf, type Wanted } from "./draft.ts";
export { type Judgements, type MessageFollower, runSteps } from "./follower.ts";
export { handOver } from "./hand-over.ts";
export { messageHandlers } from "./handlers.ts";
export { inboxLane } from "./inbox-lane.ts";
export type { MessageRow, MessageStatus } from "./message-row.ts";
export { batchOutcomes, type OutcomeSum, receivedSince, wakeMessages } from "./of-batch.ts";
export { presentFailure, presentMessage } from "./present.ts";
export {
  handleInboundText,
  type InboxText,
  type ReceivedText,
  receiveText,
  simulateReply,
} from "./receive.ts";
export { scheduledMessageHandlers, scheduleTime } from "./schedule.ts";
export { scheduledLane } from "./scheduled-lane.ts";
export { leavesForReal, textableOf } from "./send.ts";
export { type ChosenSender, checkLiveSender, chooseSender } from "./sender.ts";
export { createSettlementWriter, type SettlementWriter } from "./settle.ts";
export { simulatedReceiptsLane } from "./simulated-receipts-lane.ts";
export { testInboundHandlers } from "./test-inbound.ts";
export { countByDay, type DayCount } from "./usage.ts";
