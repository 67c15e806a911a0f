export {
  ACCEPT_COLUMNS,
  type AcceptItem,
  acceptMessages,
} from "./accept-function.ts";
export {
  HAS_REPLY,
  type NewestMessage,
  newestMessages,
} from "./conversation-sql.ts";
export {
  capAtExpiry,
  quietHoursEnd,
  retryDelayMsAfter,
  unansweredTimeoutMs,
  wakeWhenDue,
} from "./due-times.ts";
export { messageHandlers } from "./handlers.ts";
export { listMessages, messageCursorScope } from "./list.ts";
export {
  deliveredData,
  encodingOf,
  failedData,
  isSmartEncoded,
  type MessageRow,
  presentFailure,
  type StoredEncoding,
  sentData,
} from "./message-row.ts";
export { batchOutcomes, type OutcomeSum, receivedSince, wakeMessages } from "./of-batch.ts";
export { messageText, presentMessage } from "./present.ts";
export {
  applyReceipts,
  applySimulatedReceipts,
  RECEIPT_COLUMNS,
  type ReceiptItem,
} from "./receipt-functions.ts";
export { BODIES_SEARCHED_MAX, type FoundBody, searchBodies } from "./search-bodies.ts";
export {
  OUTCOME_COLUMNS,
  type PartReference,
  REFERENCE_COLUMNS,
  SETTLED_COLUMNS,
  type SettleItem,
  settleAccepted,
  settleMessages,
} from "./settle-functions.ts";
export {
  findDueMessages,
  findMessage,
  findOptedOut,
  findQueuedMessages,
  findReceiptMessages,
  giveUpAnswers,
  lockAccounts,
  lockDueMessages,
  MESSAGE_COLUMNS,
  postponeMessages,
  RECEIPT_MESSAGE_COLUMNS,
  submitAgain,
} from "./sql.ts";
export type {
  Accepted,
  AnswerClaim,
  FinalReceipt,
  PreparedMessage,
  ReceiptMessage,
  Settled,
  Settlement,
  Verdict,
} from "./stages.ts";
export { warmUpLists } from "./warm-up.ts";
