import type { FailureCode, MessageBilling } from "@longwave/contract";
import type { AccountRow } from "../accounts/index.ts";
import type { Carrier, SubmitOutcome } from "../carriers/index.ts";
import type { MessageRow } from "./message.ts";

/** What a text is on its way: wanted, composed, accepted, settled and received. */

/** What a text is to be, whoever asks for it: a request, a schedule, a batch, an automation. */
export interface Wanted {
  readonly account: AccountRow;
  /** Its id, where somebody has written something down under it already. */
  readonly id?: string;
  readonly mode: "test" | "live";
  readonly from: string;
  readonly to: string;
  readonly body: string;
  readonly customerId: string | null;
  readonly poolId: string | null;
  readonly batchId?: string | null;
  readonly batchIndex?: number | null;
  readonly scheduledMessageId?: string | null;
  /** The recurring schedule, or the run of an automation, that asks for it. */
  readonly scheduleId?: string | null;
  readonly runId?: string | null;
  /** The verification whose code the text carries, masked in `body`. */
  readonly verificationId?: string | null;
  /** Whether it comes from a number of the service's own. */
  readonly fromService?: boolean;
  readonly autoReply?: boolean;
  /** When it is given up unless a carrier has taken it. */
  readonly expiresAtMs?: number | null;
  /** Quiet hours of its own, as tables keep them; null or nothing: those of its account. */
  readonly quietHours?: number | null;
  /** Whether it answers the recipient, where that is known already. */
  readonly isAnswer?: boolean;
  /** Whether a text leaves, where that is decided already. */
  readonly leaves?: boolean;
}

/** What decides that an item is not accepted, told by the statement that would have written it. */
export type Verdict =
  | "accepted"
  | "duplicate"
  | "recipient_opted_out"
  | "quota_exceeded"
  | "spend_limit_reached"
  | "insufficient_credits";

/** A message composed and not yet written, with all that is written together with it. */
export interface Composed {
  /** The row as it will stand; its price is what it costs unless the allowance covers it. */
  readonly row: MessageRow;
  /** Live traffic counts against allowance, balance and quota; sandbox and auto-replies do not. */
  readonly isBillable: boolean;
  /** The account's daily quota, or null where none applies. */
  readonly quota: number | null;
  readonly skipsConsent: boolean;
  readonly event: { readonly type: string; readonly data: Record<string, unknown> } | null;
  /** The claim of an Idempotency-Key; its answer, where it is known before the write. */
  readonly claim: {
    readonly keyHash: Buffer;
    readonly fingerprint: Buffer;
    readonly answer: { readonly status: number; readonly body: string } | null;
  } | null;
  /** The link that has a place for it: the write is then also the hand-over. */
  readonly carrier: Carrier | null;
  /** When the simulated network brings its receipt. */
  readonly receiptDueAt: number | null;
}

export interface Accepted {
  readonly verdict: Verdict;
  readonly costMicros: number;
  readonly billing: MessageBilling;
}

/** What one hand-over came to, to be written down. */
export interface Settlement {
  readonly row: MessageRow;
  /** The number of the attempt that this settles. */
  readonly attempt: number;
  readonly carrier: string | null;
  readonly outcome: SubmitOutcome;
  /** The key of the request that waits for this, so that its answer can be replayed. */
  readonly claim: AnswerClaim | null;
  /** Something was written down of this hand-over before: that its answer was lost. */
  readonly isLate?: true;
}

/** An Idempotency-Key whose answer is the message as it comes to stand. */
export interface AnswerClaim {
  readonly mode: string;
  readonly keyHash: Buffer;
  /** The answer's text, unless it is stored already. A message that failed frees the key. */
  textOf?(row: MessageRow): string;
}

/** The message as the settlement leaves it; null when it had moved on by itself. */
export type Settled = MessageRow | null;

/** What of a message its receipt needs to know. */
export type Received = Pick<
  MessageRow,
  | "account_id"
  | "id"
  | "to_number"
  | "customer_id"
  | "from_service"
  | "sent_at"
  | "schedule_id"
  | "run_id"
>;

/** The last word on a message that was sent. */
export interface FinalReceipt {
  readonly row: Received;
  readonly outcome: "delivered" | FailureCode;
  readonly carrierCode: string | null;
}
