/**
 * Failure reason of a message. `legacy` is the older `code` of `message.failed`; `retryable` allows
 * a batch retry to include the recipient.
 */
export interface FailureSpec {
  readonly title: string;
  readonly explanation: string;
  readonly action: string;
  readonly legacy: string;
  readonly retryable: boolean;
}

// biome-ignore format: one failure per block, read as a table
export const FAILURES = {
  invalid_number: {
    title: "The number does not exist", legacy: "undeliverable", retryable: false,
    explanation: "The carrier says that this number is not assigned to anyone.",
    action: "Check the number with its owner, and remove it from your lists.",
  },
  landline: {
    title: "The number is a landline", legacy: "undeliverable", retryable: false,
    explanation: "Landlines cannot receive text messages.",
    action: "Ask for a mobile number. GET /v1/lookup/{phone} shows the line type.",
  },
  unreachable: {
    title: "The phone could not be reached", legacy: "undeliverable", retryable: false,
    explanation: "The phone was off or out of coverage until the message expired.",
    action: "Send it again later if it is still of use.",
  },
  carrier_filtered: {
    title: "The carrier filtered the message", legacy: "blocked", retryable: false,
    explanation: "The carrier took the text for spam or for content it does not carry.",
    action: "Compare the text with your registered examples; avoid link shorteners and all capitals.",
  },
  carrier_rejected: {
    title: "The carrier refused the message", legacy: "rejected", retryable: false,
    explanation: "The carrier permanently refused the message when it was submitted.",
    action: "Look at carrier_code, correct what it names, and send a new message.",
  },
  carrier_unavailable: {
    title: "No carrier could take the message", legacy: "carrier_error", retryable: true,
    explanation: "Every attempt met a temporary failure until the last one, or the service itself could not submit the message.",
    action: "Send it again later. Nothing was charged.",
  },
  expired: {
    title: "The message expired", legacy: "undeliverable", retryable: false,
    explanation: "Nobody could deliver the message while it was valid: no carrier had taken it, or the phone was out of reach, until then.",
    action: "Send it again if it is still of use.",
  },
  recipient_blocked: {
    title: "The recipient blocks these messages", legacy: "blocked", retryable: false,
    explanation: "The recipient or their carrier has blocked texts from this sender.",
    action: "Do not send to this number again.",
  },
  outcome_unknown: {
    title: "The outcome is not known", legacy: "unknown", retryable: false,
    explanation: "The connection to the carrier broke after the message was submitted and before the answer. The message may have been delivered. It was not sent again, and is not charged.",
    action: "Send it again only if the recipient getting it twice does no harm.",
  },
  canceled: {
    title: "The message was canceled", legacy: "canceled", retryable: false,
    explanation: "Its batch was canceled while the message waited for its next attempt. No carrier took it, and it is not charged.",
    action: "Send a new message if it is wanted after all.",
  },
  recipient_opted_out: {
    title: "The recipient has opted out", legacy: "opted_out", retryable: false,
    explanation: "The recipient asked not to be texted before this message was due.",
    action: "Do not send to this number unless its owner opts in again.",
  },
  opt_in_required: {
    title: "The recipient has not opted in", legacy: "opted_out", retryable: false,
    explanation: "The account, or the topic, texts only people who have opted in, and the consent ledger has no opt-in of this person that still holds.",
    action: "Record the opt-in with POST /v1/consent, with its evidence, then send again.",
  },
  topic_unsubscribed: {
    title: "The recipient is not subscribed to the topic", legacy: "opted_out", retryable: false,
    explanation: "The recipient unsubscribed from this topic before this message was due.",
    action: "Send only what the recipient is still subscribed to.",
  },
  rate_limited: {
    title: "The sending rate was exceeded", legacy: "rate_limited", retryable: true,
    explanation: "The account or the sending number was over its rate when the message was due.",
    action: "Retry later, or ask for a higher rate.",
  },
  quota_exceeded: {
    title: "The daily quota is used up", legacy: "rate_limited", retryable: true,
    explanation: "The account had sent as many messages of this kind as it may in one UTC day.",
    action: "Retry after midnight UTC, or ask for a higher quota.",
  },
  spend_limit_reached: {
    title: "The monthly spend limit is reached", legacy: "billing", retryable: true,
    explanation: "The price of this message would have crossed the account's own spend limit.",
    action: "Raise the limit with PATCH /spend-limit, or wait for the next calendar month.",
  },
  insufficient_credits: {
    title: "The balance was too low", legacy: "billing", retryable: true,
    explanation: "The prepaid balance did not cover the message when it was due.",
    action: "Add credit, then retry.",
  },
  sender_not_registered: {
    title: "The sender is not registered", legacy: "rejected", retryable: false,
    explanation: "A live US local number must be linked to an approved registration before it texts the public.",
    action: "Finish the registration, or send from a number whose sender.state is active.",
  },
  sender_unavailable: {
    title: "The sending number is not available", legacy: "rejected", retryable: false,
    explanation: "When the message was due, its number was released, unpaid or another customer's, its sender pool or customer was deleted, or the account was suspended or had lost live access.",
    action: "Send it again from a number of yours that can send, once the account may send.",
  },
} as const satisfies Record<string, FailureSpec>;

export type FailureCode = keyof typeof FAILURES;

/** Failures caused by carriers or phones: only these count for deliverability. */
export const COUNTED_FAILURES: readonly FailureCode[] = [
  "invalid_number",
  "landline",
  "unreachable",
  "carrier_filtered",
  "carrier_rejected",
  "carrier_unavailable",
  "recipient_blocked",
  "outcome_unknown",
];
export const FAILURE_CODES = Object.keys(FAILURES) as FailureCode[];
