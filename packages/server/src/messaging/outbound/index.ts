export { textableOf } from "../api/textable.ts";
export {
  type AcceptRow,
  acceptAhead,
  acceptedOf,
  acceptIn,
  acceptStep,
  createMessageWriter,
  type MessageWriter,
} from "./accept.ts";
export { acceptMessages } from "./accept-function.ts";
export {
  acceptedRow,
  compose,
  composeSimulated,
  handOversOf,
  priceOf,
  writtenFor,
} from "./compose.ts";
export type { HandoverDeps } from "./deps.ts";
export { dispatchLane } from "./dispatch-lane.ts";
export { retryDelayMsAfter } from "./due-times.ts";
export { createElsewhere } from "./elsewhere.ts";
export { followAll, type MessageFollower } from "./follower.ts";
export { type HandOver, handOverAll, handOverInTime } from "./hand-over.ts";
export { type DueTogether, dueRowsInHalves, inHalves, NOT_DEALT_WITH } from "./in-halves.ts";
export { createCarrierSink } from "./inbox.ts";
export { encodingOf, isSmartEncoded, type MessageRow, presentFailure } from "./message.ts";
export {
  type ChosenSender,
  checkLiveSender,
  checkSenderForm,
  chooseSender,
  isOptedOut,
  leavesForReal,
  type SenderQuestion,
} from "./parties.ts";
export { NO_PLACES, type Places, txWithPlaces, withPlaces } from "./places.ts";
export { areAnswers, isHeld, quietHoursEnd } from "./quiet.ts";
export { receiptsLane } from "./receipts-lane.ts";
export { createSettlementWriter, type SettlementWriter, statusCodeOf } from "./settle.ts";
export { simulatedReceiptsLane } from "./simulated-receipts-lane.ts";
export {
  findMessage,
  findOptedOut,
  INBOX_SHARD,
  lockAccounts,
  MESSAGE_COLUMNS,
  postponeMessages,
} from "./sql.ts";
export type { Accepted, Composed, FinalReceipt, Verdict, Wanted } from "./stages.ts";
