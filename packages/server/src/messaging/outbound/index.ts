export { parseRecipient } from "../../http/api/parse-fields.ts";
export {
  type AcceptRow,
  acceptedOf,
  acceptIn,
  acceptStep,
  createMessageWriter,
  type MessageWriter,
} from "./accept.ts";
export { acceptMessages } from "./accept-function.ts";
export { createRemoteSubmits } from "./await-remote-submit.ts";
export type { OutboundDeps } from "./deps.ts";
export { dispatchLane } from "./dispatch-lane.ts";
export { bisectDue, processDueRows, UNPROCESSABLE } from "./due-rows.ts";
export {
  acceptDue,
  type DueOutcome,
  type DueSend,
  prepareDue,
} from "./due-sends.ts";
export { retryDelayMsAfter } from "./due-times.ts";
export { followAll, type MessageFollower } from "./follower.ts";
export { createCarrierSink } from "./inbox.ts";
export { consentCustomers, leaveRefusal, needsRegistration } from "./may-leave.ts";
export { encodingOf, isSmartEncoded, type MessageRow, presentFailure } from "./message.ts";
export {
  acceptedRow,
  encodeBody,
  prepare,
  prepareFailed,
  prepareSimulated,
  priceOf,
  submissionsOf,
} from "./prepare.ts";
export { areAnswers, isDeferred, quietHoursEnd } from "./quiet-hours.ts";
export { receiptsLane } from "./receipts-lane.ts";
export {
  type ChosenSender,
  checkLiveSender,
  checkSenderForm,
  chooseSender,
  countRealSend,
  isOptedOut,
  type SenderQuery,
  usesRealCarrier,
} from "./resolve-sender.ts";
export { createSettlementWriter, type SettlementWriter, statusCodeOf } from "./settle.ts";
export { simulatedReceiptsLane } from "./simulated-receipts-lane.ts";
export { sourceNumberOf } from "./source-number.ts";
export {
  findMessage,
  findOptedOut,
  INBOX_SHARD,
  lockAccounts,
  MESSAGE_COLUMNS,
  postponeMessages,
} from "./sql.ts";
export type {
  Accepted,
  FinalReceipt,
  OutboundRequest,
  PreparedMessage,
  Verdict,
} from "./stages.ts";
export { type Submission, submitAll, submitBeforeDeadline } from "./submit.ts";
export { NO_SLOTS, txWithSlots, type WindowSlots, withSlots } from "./window-slots.ts";
