export {
  type Accepted,
  acceptIn,
  acceptStep,
  createMessageWriter,
  type Draft,
  type MessageWriter,
  type Verdict,
} from "./accept.ts";
export { type ChosenSender, checkLiveSender, chooseSender } from "./choose-sender.ts";
export {
  acceptedRow,
  compose,
  composeSimulated,
  handOversOf,
  priceOf,
  retryDelayMsAfter,
  type Wanted,
} from "./compose.ts";
export type { HandoverDeps } from "./deps.ts";
export { dispatchLane } from "./dispatch-lane.ts";
export { createElsewhere } from "./elsewhere.ts";
export { presentFailure } from "./failure.ts";
export { followAll, type MessageFollower } from "./follower.ts";
export { type HandOver, handOverAll, handOverInTime } from "./hand-over.ts";
export { createCarrierSink, INBOX_SHARD } from "./inbox.ts";
export type { MessageRow } from "./message-row.ts";
export { NO_PLACES, type Places, txWithPlaces, withPlaces } from "./places.ts";
export type { FinalReceipt } from "./receipts.ts";
export { receiptsLane } from "./receipts-lane.ts";
export { isOptedOut, leavesForReal, textableOf } from "./recipient.ts";
export { createSettlementWriter, type SettlementWriter, statusCodeOf } from "./settle.ts";
export { simulatedReceiptsLane } from "./simulated-receipts-lane.ts";
export {
  findMessage,
  findOptedOut,
  lockAccounts,
  MESSAGE_COLUMNS,
  postponeMessages,
} from "./sql.ts";
