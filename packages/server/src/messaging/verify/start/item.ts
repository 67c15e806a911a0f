import type { LineType, Mode, Verification, VerificationRule } from "@longwave/contract";
import type { AccountRow } from "../../../account/accounts/index.ts";
import type { IdempotencyClaim } from "../../../http/idempotency/index.ts";
import type { MessageRow } from "../../messages/index.ts";
import type { Submission } from "../../outbound/index.ts";
import type { CountsOwner } from "../fraud/velocity-counters.ts";
import type { VerificationRow } from "../verification-row.ts";

/** One POST /verify after validation: input of the start writer. */
export interface StartItem {
  readonly account: AccountRow;
  readonly mode: Mode;
  /** Account and mode, as counters are keyed. */
  readonly owner: CountsOwner;
  readonly phone: string;
  readonly country: string;
  readonly lineType: LineType;
  readonly appName: string | null;
  readonly customerId: string | null;
  readonly ip: string | null;
  readonly metadata: Readonly<Record<string, string>> | null;
  /** The account's own number to send from; null: one of the service's. */
  readonly own: { readonly from: string; readonly poolId: string | null } | null;
  /** Numbers of the account that passed the sender checks for this phone: `own`, and the sender of a resend. */
  readonly checkedSenders: readonly string[];
  /** The service's number for this phone; null: none is configured. */
  readonly serviceNumber: string | null;
  /** Whether the code goes through a real carrier; otherwise the sandbox simulates it. */
  readonly isViaCarrier: boolean;
  /** Set for codes of POST /v1/verified_numbers: no account pays for them, answered or not. */
  readonly isUnpaid?: true;
  readonly claim: IdempotencyClaim | null;
  readonly serialize: (status: number, body: Verification) => string;
}

export interface Started {
  readonly kind: "started";
  readonly row: VerificationRow;
  /** Submit to run after the commit; null: no carrier is called now. */
  readonly submission: Submission | null;
  /** Message that waits for a dispatcher, of this process or another; null: none does. */
  readonly queued: MessageRow | null;
}

/** The resend comes from a number that this request has not checked yet. Nothing was written. */
export interface UnknownSender {
  readonly kind: "unknown_sender";
  readonly from: string;
}

/** Reason why nothing was sent. */
export type StartRefusal =
  | { readonly kind: "duplicate" | "no_credit" | "over_limit" | "opted_out" | "no_sender" }
  | { readonly kind: "limited"; readonly retryAfterSeconds: number }
  | { readonly kind: "blocked"; readonly reason: VerificationRule }
  | { readonly kind: "refused"; readonly messageId: string | null };

export type StartResult = Started | StartRefusal | UnknownSender;
