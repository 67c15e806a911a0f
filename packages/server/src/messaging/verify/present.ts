import {
  formatTimestamp,
  VERIFY_CHECKS_MAX,
  type Verification,
  type VerificationDecision,
} from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { codeOf } from "../../core/platform/one-time-code.ts";
import { readRuleTrace } from "./fraud/rules.ts";
import { type DecisionRow, statusAt, type VerificationRow } from "./verification-row.ts";

export function presentVerification(
  deps: Pick<Base, "secrets" | "clock">,
  row: VerificationRow,
): Verification {
  return {
    id: toApiId("verification", row.id),
    object: "verification",
    phone: row.phone,
    status: statusAt(row, deps.clock.now()),
    app_name: row.app_name,
    customer_id: row.customer_id === null ? null : toApiId("customer", row.customer_id),
    from: row.from_number,
    attempts: row.attempts,
    max_attempts: VERIFY_CHECKS_MAX,
    charged: row.charged,
    simulated: row.simulated,
    created_at: formatTimestamp(row.created_at),
    expires_at: formatTimestamp(row.expires_at),
    approved_at: row.approved_at === null ? null : formatTimestamp(row.approved_at),
    metadata: { ...row.metadata },
    ...(row.mode === "test" ? { test_code: codeOf(deps.secrets, row.id) } : {}),
  };
}

export function presentDecision(row: DecisionRow): VerificationDecision {
  const { verification_id: id } = row;
  return {
    object: "verification_decision",
    verification_id: id === null ? null : toApiId("verification", id),
    phone: row.phone,
    allowed: row.allowed,
    reason: row.reason,
    rules: readRuleTrace(row.rule_trace),
    created_at: formatTimestamp(row.created_at),
  };
}
