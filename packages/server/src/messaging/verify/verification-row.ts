import {
  type Mode,
  VERIFY_EXPIRES_SECONDS,
  type VerificationRule,
  type VerificationStatus,
} from "@longwave/contract";

/** Row of `verifications`. */
export interface VerificationRow {
  readonly shard: number;
  readonly account_id: string;
  readonly id: string;
  readonly mode: Mode;
  readonly phone: string;
  readonly status: VerificationStatus;
  readonly app_name: string | null;
  readonly customer_id: string | null;
  readonly from_number: string | null;
  readonly attempts: number;
  readonly sends: number;
  readonly charged: boolean;
  /** Amount charged for the approval. */
  readonly price_micros: number;
  readonly simulated: boolean;
  readonly created_at: number;
  readonly expires_at: number;
  readonly approved_at: number | null;
  readonly ended_at: number | null;
  /** Fraud decision about the last code sent. */
  readonly decision_id: string | null;
  readonly metadata: Readonly<Record<string, string>> | null;
}

export interface DecisionRow {
  readonly id: string;
  readonly phone: string;
  readonly verification_id: string | null;
  readonly allowed: boolean;
  readonly reason: VerificationRule | null;
  /** Encoded rule results; see fraud/rules.ts. */
  readonly rule_trace: string;
  readonly created_at: number;
}

/** Expiry of a verification that starts now. */
export function expiryOf(nowMs: number): number {
  return nowMs + VERIFY_EXPIRES_SECONDS * 1_000;
}

/** Status at a time. Expiry is computed on read; no task marks pending verifications as expired. */
export function statusAt(
  row: Pick<VerificationRow, "status" | "expires_at">,
  nowMs: number,
): VerificationStatus {
  return row.status === "pending" && row.expires_at <= nowMs ? "expired" : row.status;
}
