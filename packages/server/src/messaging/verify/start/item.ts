import type { LineType, Mode, Verification, VerificationRule } from "@longwave/contract";
import type { AccountRow } from "../../accounts/index.ts";
import type { HandOver, MessageRow } from "../../handover/index.ts";
import type { IdempotencyClaim } from "../../idempotency/index.ts";
import type { CountsOwner } from "../fraud/counter-book.ts";
import type { VerificationRow } from "../verification-row.ts";

/** A code that somebody wants texted, once all that can be said beforehand is settled. */
export interface StartItem {
  readonly account: AccountRow;
  readonly mode: Mode;
  /** Both, as fraud protection counts by them. */
  readonly owner: CountsOwner;
  readonly phone: string;
  readonly country: string;
  readonly lineType: LineType;
  readonly appName: string | null;
  readonly customerId: string | null;
  readonly ip: string | null;
  /** The account's own number it is to come from; null: one of the service's. */
  readonly own: { readonly from: string; readonly poolId: string | null } | null;
  /** Numbers of the account that were found fit to text this phone: `own`, and what a resend comes from. */
  readonly fitSenders: readonly string[];
  /** The service's number for this phone; null when there is none to send from. */
  readonly serviceNumber: string | null;
  /** Whether a text leaves; otherwise the sandbox decides what becomes of it. */
  readonly leaves: boolean;
  readonly claim: IdempotencyClaim | null;
  readonly serialize: (status: number, body: Verification) => string;
}

export interface Started {
  readonly kind: "started";
  readonly row: VerificationRow;
  /** What is still to be done once the start is committed; null where a carrier is not called now. */
  readonly handOver: HandOver | null;
  /** The text where it waits for a dispatcher, of this process or another. */
  readonly waiting: MessageRow | null;
}

/** Nothing is done yet: the code comes from a number that nobody has looked at for this request. */
export interface UnknownSender {
  readonly kind: "unknown_sender";
  readonly from: string;
}

/** Why nothing was sent. */
export type StartRefusal =
  | { readonly kind: "duplicate" | "no_credit" | "over_limit" | "opted_out" | "no_sender" }
  | { readonly kind: "limited"; readonly retryAfterSeconds: number }
  | { readonly kind: "blocked"; readonly reason: VerificationRule }
  | { readonly kind: "refused"; readonly messageId: string | null };

export type StartResult = Started | StartRefusal | UnknownSender;
