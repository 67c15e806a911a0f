import type { FailureCode, MessageBilling } from "@longwave/contract";
import type { Carrier, CarrierCost, SubmitOutcome } from "../../network/carriers/index.ts";
import type { MessageRow } from "./message-row.ts";

/** Outcome of accepting one item, decided by the statement that stores the group. */
export type Verdict =
  | "accepted"
  | "duplicate"
  | "recipient_opted_out"
  | "quota_exceeded"
  | "spend_limit_reached"
  | "insufficient_credits";

/** A message that is not stored yet, with everything that the same transaction writes. */
export interface PreparedMessage {
  /** The row to store. Its price applies unless the allowance covers the message. */
  readonly row: MessageRow;
  /** Live traffic counts against allowance, balance and quota. Sandbox messages and auto-replies do not. */
  readonly isBillable: boolean;
  /** The account's daily quota; null where none applies. */
  readonly quota: number | null;
  readonly skipsConsent: boolean;
  readonly event: { readonly type: string; readonly data: Record<string, unknown> } | null;
  /** The claim of an Idempotency-Key, with its answer if that is known before the write. */
  readonly claim: {
    readonly keyHash: Buffer;
    readonly fingerprint: Buffer;
    readonly answer: { readonly status: number; readonly body: string } | null;
  } | null;
  /** The carrier whose window slot is reserved: storing the message then also commits its first submit. */
  readonly carrier: Carrier | null;
  /** Due time of the simulated receipt, in ms. */
  readonly receiptDueAt: number | null;
}

export interface Accepted {
  readonly verdict: Verdict;
  readonly costMicros: number;
  readonly billing: MessageBilling;
}

/** The outcome of one submit, ready to store. */
export interface Settlement {
  readonly row: MessageRow;
  /** Number of the attempt that this outcome belongs to. */
  readonly attempt: number;
  readonly carrier: string | null;
  readonly outcome: SubmitOutcome;
  /** Idempotency-Key of the waiting request, so that a retry replays its answer. */
  readonly claim: AnswerClaim | null;
  /** An outcome of this attempt was stored before, as unknown. */
  readonly isLate?: true;
}

/** An Idempotency-Key whose stored answer is the message after its submit. */
export interface AnswerClaim {
  readonly mode: string;
  readonly keyHash: Buffer;
  /** JSON body of the answer; absent if it is stored already. A failed message frees the key. */
  bodyOf?(row: MessageRow): string;
}

/** The message after the settlement; null if it had already left `queued`. */
export type Settled = MessageRow | null;

/** Columns of a message that applying its receipt needs. */
export type ReceiptMessage = Pick<
  MessageRow,
  | "account_id"
  | "id"
  | "mode"
  | "from_number"
  | "to_number"
  | "segments"
  | "customer_id"
  | "from_service"
  | "created_at"
  | "sent_at"
  | "schedule_id"
  | "run_id"
  | "batch_id"
  | "scheduled_message_id"
  | "metadata"
>;

/** The final delivery state of a sent message. */
export interface FinalReceipt {
  readonly row: ReceiptMessage;
  readonly outcome: "delivered" | FailureCode;
  readonly carrierCode: string | null;
  /** The carrier knows that the person has opted out. */
  readonly hasOptedOut?: true;
  readonly cost?: CarrierCost;
}
