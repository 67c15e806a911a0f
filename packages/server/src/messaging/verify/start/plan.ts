import type { Tx } from "../../../core/db/driver/database.ts";
import { appendGroup, type NewEvent } from "../../../events/log/index.ts";
import type { PreparedMessage } from "../../messages/index.ts";
import { acceptStep, type OutboundDeps, type WindowSlots } from "../../outbound/index.ts";
import {
  DECISION_INSERT_COLUMNS,
  type DecisionInsert,
  PHONE_STATE_COLUMNS,
  type PhoneStateRow,
  VERIFICATION_INSERT_COLUMNS,
} from "../array-columns.ts";
import { countsStep, createHourlyCounts, type HourlyCounts } from "../fraud/hourly-counts.ts";
import type { FraudScore } from "../fraud/rules.ts";
import { writeRuleTrace } from "../fraud/rules.ts";
import { addServiceCounts } from "../fraud/service-loss.ts";
import { updateResent, writeBlocks, writeStarts, writeTargets } from "../sql.ts";
import { expiryOf, type VerificationRow } from "../verification-row.ts";
import type { StartItem } from "./item.ts";
import { type PhoneState, SERVICE_SHARD, type StartState } from "./state.ts";

/** Rows and events that a group writes once all its items are decided. */
export interface StartPlan {
  readonly deps: OutboundDeps;
  readonly tx: Tx;
  readonly shard: number;
  readonly nowMs: number;
  readonly state: StartState;
  readonly hours: HourlyCounts;
  readonly started: Map<string, VerificationRow>;
  readonly resent: Map<string, VerificationRow>;
  readonly decisions: DecisionInsert[];
  readonly blocks: Map<string, object>;
  /** Messages that carry the codes, accepted in the same transaction. */
  readonly messages: PreparedMessage[];
  readonly events: (NewEvent & { readonly accountId: string })[];
  readonly slots: WindowSlots;
  /** Number of codes that the service pays for unless they are answered. */
  paidByService: number;
}

type PlanBasis = Pick<StartPlan, "deps" | "tx" | "shard" | "nowMs" | "state" | "slots">;

/** An empty plan. */
export function newPlan(basis: PlanBasis): StartPlan {
  return {
    ...basis,
    hours: createHourlyCounts(),
    started: new Map(),
    resent: new Map(),
    decisions: [],
    blocks: new Map(),
    messages: [],
    paidByService: 0,
    events: [],
  };
}

export function addDecision(
  { decisions }: StartPlan,
  item: StartItem,
  score: FraudScore,
  id: string,
  verificationId: string | null,
): void {
  decisions.push({
    owner: item.owner,
    id,
    phone: item.phone,
    verificationId,
    allowed: score.allowed,
    reason: score.reason,
    ruleTrace: writeRuleTrace(score.rules),
  });
}

export function emit(plan: StartPlan, item: StartItem, event: NewEvent): void {
  plan.events.push({ ...event, accountId: item.account.id });
}

/** Sends all statements of the plan without waiting in between; the commit follows in the same pipeline. */
export function writePlan(plan: StartPlan, items: readonly StartItem[]): void {
  const { deps, tx, shard, nowMs, state } = plan;
  if (plan.decisions.length === 0 && plan.messages.length === 0) return;
  const { resent, blocks } = plan;
  tx.send(writeStarts, startValues(plan, items));
  if (resent.size > 0) {
    const rows = [...resent.values()].map(({ id, sends, decision_id }) => ({
      id,
      sends,
      decision_id,
    }));
    tx.send(updateResent, [shard, JSON.stringify(rows), [...resent.keys()]]);
  }
  if (blocks.size > 0) tx.send(writeBlocks, [shard, JSON.stringify([...blocks.values()])]);
  const counts = countsStep(shard, state.allCounters(), plan.hours, nowMs);
  tx.send(counts.statement, counts.values);
  if (plan.messages.length > 0) {
    // The accept step cannot refuse: accounts are locked, codes are free, and consent was checked.
    const accept = acceptStep(deps, shard, plan.messages);
    tx.send(accept.statement, accept.values);
  }
  if (state.targets.size > 0) {
    const targets = [...state.targets].map(([phone, sent_at_ms]) => ({ phone, sent_at_ms }));
    tx.send(writeTargets, [SERVICE_SHARD, JSON.stringify(targets)]);
  }
  appendGroup(deps, tx, shard, plan.events);
  if (plan.paidByService > 0) addServiceCounts(tx, { sent: plan.paidByService }, nowMs);
}

/** Parameters of `writeStarts`. All new verifications share one start time and expiry. */
function startValues(plan: StartPlan, items: readonly StartItem[]): (number | string | Date)[] {
  const { shard, nowMs, decisions } = plan;
  const made = [...plan.started.values()];
  const phones = phonesChanged(plan, items);
  return [
    shard,
    new Date(nowMs),
    new Date(expiryOf(nowMs)),
    ...VERIFICATION_INSERT_COLUMNS.map((column) => column.textOf(made)),
    ...PHONE_STATE_COLUMNS.map((column) => column.textOf(phones)),
    ...DECISION_INSERT_COLUMNS.map((column) => column.textOf(decisions)),
  ];
}

function phonesChanged({ state }: StartPlan, items: readonly StartItem[]): PhoneStateRow[] {
  const phones = new Map<PhoneState, PhoneStateRow>();
  for (const item of items) {
    const phone = state.phoneOf(item);
    if (!phone.isChanged) continue;
    phones.set(phone, {
      owner: item.owner,
      phone: item.phone,
      verificationId: phone.newest?.id ?? null,
      sentAtMs: phone.sentAtMs,
      failures: phone.failures,
    });
  }
  return [...phones.values()];
}
