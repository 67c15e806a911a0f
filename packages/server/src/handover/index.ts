export {
  type Accepted,
  acceptIn,
  createMessageWriter,
  type MessageWriter,
  type NewMessage,
  type Verdict,
} from "./accept.ts";
export { type ChosenSender, checkLiveSender, chooseSender } from "./choose-sender.ts";
export {
  acceptedRow,
  draftLive,
  draftSimulated,
  priceOf,
  retryDelayMsAfter,
  type Wanted,
} from "./compose.ts";
export { dispatchLane } from "./dispatch-lane.ts";
export { presentFailure } from "./failure.ts";
export { type Judgements, type MessageFollower, runSteps } from "./follower.ts";
export { ANSWER_WAIT_MS_MAX, handOver } from "./hand-over.ts";
export { createCarrierSink } from "./inbox.ts";
export { inboxLane } from "./inbox-lane.ts";
export type { MessageRow, MessageStatus } from "./message-row.ts";
export { isOptedOut, leavesForReal, textableOf } from "./recipient.ts";
export { createSettlementWriter, type SettlementWriter, statusCodeOf } from "./settle.ts";
export { simulatedReceiptsLane } from "./simulated-receipts-lane.ts";
export { findMessage, findOptedOut, MESSAGE_COLUMNS, postponeMessages } from "./sql.ts";
