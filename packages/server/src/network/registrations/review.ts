import {
  formatTimestamp,
  Problem,
  REGISTRATION_MOVES,
  type RegistrationCode,
  type ReviewDecision,
  registrationCodeSpec,
} from "@longwave/contract";
import type { Tx } from "../../core/db/driver/database.ts";
import { expect } from "../../core/platform/assert.ts";
import { type Changer, recordRegistration } from "./audit.ts";
import type { RegistrationsDeps } from "./deps.ts";
import { historyEntry, withEntry } from "./evaluate.ts";
import type { HistoryEntry, RegistrationRow } from "./registration-row.ts";
import { REVIEWS } from "./sql.ts";

export interface Decision {
  readonly decision: ReviewDecision;
  /** Approves a registration whose check failed. */
  readonly isOverride?: boolean;
  /** Reason of a rejection. */
  readonly code: RegistrationCode;
  readonly note: string | null;
  readonly actor: HistoryEntry["actor"];
  readonly changer: Changer;
}

const MOVES = {
  in_review: REGISTRATION_MOVES.begin_review,
  approve: REGISTRATION_MOVES.approve,
  override: REGISTRATION_MOVES.override,
  reject: REGISTRATION_MOVES.reject,
} as const;

const LABELS = {
  in_review: "In review with the carriers",
  approve: "Approved",
  override: "Approved despite the check",
} as const;

/** Applies a decision to a locked registration with all its consequences, in one transaction. */
export async function decide(
  deps: RegistrationsDeps,
  tx: Tx,
  before: RegistrationRow,
  { decision, isOverride = false, code, note, actor, changer }: Decision,
): Promise<RegistrationRow> {
  const step = isOverride ? "override" : decision;
  const move = MOVES[step];
  const sources: readonly string[] = move.from;
  if (!sources.includes(before.status)) {
    throw new Problem(
      "invalid_state",
      `The registration is ${before.status}; ${step} needs one that is ${sources.join(" or ")}.`,
    );
  }
  const now = deps.clock.now();
  const isRejection = step === "reject";
  const label = isRejection ? `Rejected: ${registrationCodeSpec(code).title}` : LABELS[step];
  const entry = historyEntry(now, move.to, actor, label, {
    reason_code: isRejection ? code : null,
    note,
  });
  const rejection = isRejection ? { code, note, rejected_at: formatTimestamp(now) } : null;
  const [row] = await tx.query<RegistrationRow>(REVIEWS[step], [
    before.shard,
    before.account_id,
    before.id,
    JSON.stringify(withEntry(before.history, entry)),
    new Date(now),
    rejection === null ? null : JSON.stringify(rejection),
  ]);
  const after = expect(row, "a locked registration is gone");
  await recordRegistration(deps, tx, after, "registration.reviewed", changer, {
    decision,
    ...(isOverride ? { override: true } : {}),
    ...(isRejection ? { code } : {}),
    ...(note === null ? {} : { note }),
  });
  await deps.followSenders(tx, { shard: after.shard, id: after.account_id });
  return after;
}
