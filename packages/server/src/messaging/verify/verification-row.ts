import {
  type Mode,
  VERIFY_EXPIRES_SECONDS,
  type VerificationRule,
  type VerificationStatus,
} from "@longwave/contract";

/** A verification as its table keeps it. */
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
  readonly simulated: boolean;
  readonly created_at: number;
  readonly expires_at: number;
  readonly approved_at: number | null;
  readonly ended_at: number | null;
  /** What fraud protection decided about its last text. */
  readonly decision_id: string | null;
}

export interface DecisionRow {
  readonly id: string;
  readonly phone: string;
  readonly verification_id: string | null;
  readonly allowed: boolean;
  readonly reason: VerificationRule | null;
  /** What every rule saw; seen-rules.ts reads it. */
  readonly seen: string;
  readonly created_at: number;
}

/** When one that starts now can no longer be checked. */
export function expiryOf(nowMs: number): number {
  return nowMs + VERIFY_EXPIRES_SECONDS * 1_000;
}

/** The status that can be told: nobody has to look for a pending one to expire. */
export function statusAt(row: VerificationRow, nowMs: number): VerificationStatus {
  return row.status === "pending" && row.expires_at <= nowMs ? "expired" : row.status;
}
