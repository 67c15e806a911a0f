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
import { registryIdsOf } from "./fields.ts";
import type { Given, HistoryEntry, RegistrationRow } from "./registration-row.ts";
import { REVIEWS } from "./sql.ts";

export interface Decision {
  readonly decision: ReviewDecision;
  /** Approves a registration whose check failed, or whose campaign is approved elsewhere. */
  readonly isOverride?: boolean;
  /** Campaign that is approved elsewhere; absent: the registration's own. */
  readonly registered?: Pick<Given, "campaign_id" | "brand_id">;
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
  vouch: REGISTRATION_MOVES.vouch,
  reject: REGISTRATION_MOVES.reject,
  suspend: REGISTRATION_MOVES.suspend,
  expire: REGISTRATION_MOVES.expire,
  reinstate: REGISTRATION_MOVES.reinstate,
} as const;

const LABELS = {
  in_review: "In review with the carriers",
  approve: "Approved",
  override: "Approved despite the check",
  vouch: "Approved elsewhere",
  suspend: "Suspended by the carriers",
  expire: "Expired with the carriers",
  reinstate: "Active with the carriers again",
} as const;

/** Codes of the steps that end an approval by themselves. */
const REASONS: Readonly<Partial<Record<keyof typeof MOVES, RegistrationCode>>> = {
  suspend: "carrier.suspended",
  expire: "carrier.expired",
};

/** Applies a decision to a locked registration with all its consequences, in one transaction. */
export async function decide(
  deps: RegistrationsDeps,
  tx: Tx,
  before: RegistrationRow,
  { decision, isOverride = false, registered = {}, code, note, actor, changer }: Decision,
): Promise<RegistrationRow> {
  const given: Given = { ...before.given, ...registryIdsOf(before.given, registered) };
  const step = stepOf(decision, isOverride, given);
  const move = MOVES[step];
  const sources: readonly string[] = move.from;
  if (!sources.includes(before.status)) throw wrongState(before, step, sources);
  const now = deps.clock.now();
  const isRejection = step === "reject";
  const label = isRejection ? `Rejected: ${registrationCodeSpec(code).title}` : LABELS[step];
  const reason = isRejection ? code : (REASONS[step] ?? null);
  const entry = historyEntry(now, move.to, actor, label, { reason_code: reason, note });
  const rejection = reason && { code: reason, note, rejected_at: formatTimestamp(now) };
  const [row] = await tx.query<RegistrationRow>(REVIEWS[step], [
    before.shard,
    before.account_id,
    before.id,
    JSON.stringify(withEntry(before.history, entry)),
    new Date(now),
    step === "vouch" ? JSON.stringify(given) : rejection && JSON.stringify(rejection),
  ]);
  const after = expect(row, "a locked registration is gone");
  await recordRegistration(deps, tx, after, "registration.reviewed", changer, {
    decision,
    ...(isOverride ? { override: true } : {}),
    ...(step === "vouch" ? { campaign_id: given.campaign_id, brand_id: given.brand_id } : {}),
    ...(isRejection ? { code } : {}),
    ...(note === null ? {} : { note }),
  });
  await deps.followSenders(tx, { shard: after.shard, id: after.account_id });
  return after;
}

type Step = keyof typeof MOVES;

/** An override of a registration with a campaign id relies on that campaign, not on the check. */
function stepOf(decision: ReviewDecision, isOverride: boolean, given: Given): Step {
  if (!isOverride) return decision;
  return given.campaign_id ? "vouch" : "override";
}

function wrongState({ status }: RegistrationRow, step: Step, sources: readonly string[]): Problem {
  const next =
    step === "override" ? " Give campaign_id where its campaign is approved elsewhere." : "";
  const message = `The registration is ${status}; ${step} needs one that is ${sources.join(" or ")}.${next}`;
  return new Problem("invalid_state", message);
}
