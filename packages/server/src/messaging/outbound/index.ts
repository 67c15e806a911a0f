export {
  type AcceptRow,
  acceptedOf,
  acceptIn,
  acceptStep,
  createMessageWriter,
  type MessageWriter,
} from "./accept.ts";
export { createAccountQueue } from "./account-queue.ts";
export { createRemoteSubmits } from "./await-remote-submit.ts";
export { cancelQueued } from "./cancel-queued.ts";
export { type CostSum, sumCarrierCosts } from "./carrier-costs.ts";
export { createCarrierSink } from "./carrier-inbox.ts";
export { carrierOptOutTask } from "./carrier-opt-out.ts";
export { checkLiveSender } from "./check-live-sender.ts";
export { consentRefusals, requireConsent } from "./consent-refusals.ts";
export type { OutboundDeps } from "./deps.ts";
export { dispatchLane } from "./dispatch-lane.ts";
export { bisectDue, processDueRows, UNPROCESSABLE } from "./due-rows.ts";
export {
  acceptDue,
  type DueOutcome,
  type DueSend,
  prepareDue,
} from "./due-sends.ts";
export { type FollowerVerdict, followAll, type MessageFollower } from "./follower.ts";
export { messagesNamed } from "./match-receipts.ts";
export { consentCustomers, leaveRefusal, leaveRefusalOf, needsRegistration } from "./may-leave.ts";
export { parseOurReference } from "./our-reference.ts";
export {
  acceptedRow,
  encodeBody,
  prepare,
  prepareFailed,
  prepareSimulated,
  priceOf,
  submissionsOf,
} from "./prepare.ts";
export { areAnswers, deferralOf, deferralsOf, inContactZone, isDeferred } from "./quiet-hours.ts";
export { receiptsLane } from "./receipts-lane.ts";
export { metadataOrNull, type OutboundRequest } from "./request.ts";
export {
  type ChosenSender,
  checkSender,
  checkSenderForm,
  chooseSender,
  countRealSend,
  isOptedOut,
  type SenderQuery,
  usesRealCarrier,
} from "./resolve-sender.ts";
export { statusCodeOf } from "./settle.ts";
export { simulatedReceiptsLane } from "./simulated-receipts-lane.ts";
export { sourceNumberOf } from "./source-number.ts";
export { INBOX_SHARD } from "./sql.ts";
export { type Submission, submitAll, submitBeforeDeadline } from "./submit.ts";
export { NO_SLOTS, txWithSlots, type WindowSlots, withSlots } from "./window-slots.ts";
export { createOutboundWriters } from "./writers.ts";
