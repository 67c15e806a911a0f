import type { Tx } from "../../db/database.ts";
import { appendGroup, type NewEvent } from "../../events/index.ts";
import { acceptStep, type Composed, type HandoverDeps, type Places } from "../../handover/index.ts";
import { countsStep, type HourBook } from "../fraud/counts.ts";
import type { Judgement } from "../fraud/rules.ts";
import { writeSeen } from "../fraud/seen-rules.ts";
import { countForService } from "../fraud/service-loss.ts";
import { sendAgain, writeBlocks, writeStarts, writeTargets } from "../sql.ts";
import { expiryOf, type VerificationRow } from "../verification-row.ts";
import {
  DECIDED_COLUMNS,
  MADE_COLUMNS,
  PHONE_COLUMNS,
  type WrittenDecision,
  type WrittenPhone,
} from "../written-columns.ts";
import type { StartItem } from "./item.ts";
import { type PhoneState, SERVICE_SHARD, type StartState } from "./state.ts";

/** What a group has to write when all its items are judged. */
export interface StartPlan {
  readonly deps: HandoverDeps;
  readonly tx: Tx;
  readonly shard: number;
  readonly nowMs: number;
  readonly state: StartState;
  readonly hours: HourBook;
  readonly made: Map<string, VerificationRow>;
  readonly again: Map<string, VerificationRow>;
  readonly decisions: WrittenDecision[];
  readonly blocks: Map<string, object>;
  /** The texts that carry the codes, to be written with all the rest. */
  readonly composed: Composed[];
  readonly events: (NewEvent & { readonly accountId: string })[];
  readonly places: Places;
  /** How many of the texts the service pays for unless they are answered. */
  paidByService: number;
}

export function decide(
  { decisions }: StartPlan,
  item: StartItem,
  judgement: Judgement,
  id: string,
  verificationId: string | null,
): void {
  decisions.push({
    owner: item.owner,
    id,
    phone: item.phone,
    verificationId,
    allowed: judgement.allowed,
    reason: judgement.reason,
    seen: writeSeen(judgement.rules),
  });
}

export function emit(plan: StartPlan, item: StartItem, event: NewEvent): void {
  plan.events.push({ ...event, accountId: item.account.id });
}

/** Everything goes out at once, and the commit right behind it. */
export function writePlan(plan: StartPlan, items: readonly StartItem[]): void {
  const { deps, tx, shard, nowMs, state } = plan;
  if (plan.decisions.length === 0 && plan.composed.length === 0) return;
  const { again, blocks } = plan;
  tx.send(writeStarts, startValues(plan, items));
  if (again.size > 0) {
    const rows = [...again.values()].map(({ id, sends, decision_id }) => ({
      id,
      sends,
      decision_id,
    }));
    tx.send(sendAgain, [shard, JSON.stringify(rows), [...again.keys()]]);
  }
  if (blocks.size > 0) tx.send(writeBlocks, [shard, JSON.stringify([...blocks.values()])]);
  const counts = countsStep(shard, state.books(), plan.hours, nowMs);
  tx.send(counts.statement, counts.values);
  if (plan.composed.length > 0) {
    // Their accounts are locked, they are free, and consent was looked at: nothing refuses them.
    const accept = acceptStep(deps, shard, plan.composed);
    tx.send(accept.statement, accept.values);
  }
  if (state.targets.size > 0) {
    const targets = [...state.targets].map(([phone, sent_at_ms]) => ({ phone, sent_at_ms }));
    tx.send(writeTargets, [SERVICE_SHARD, JSON.stringify(targets)]);
  }
  appendGroup(deps, tx, shard, plan.events);
  if (plan.paidByService > 0) countForService(tx, { sent: plan.paidByService }, nowMs);
}

/** What is made begins now, so that one moment is written for all of it. */
function startValues(plan: StartPlan, items: readonly StartItem[]): (number | string | Date)[] {
  const { shard, nowMs, decisions } = plan;
  const made = [...plan.made.values()];
  const phones = phonesChanged(plan, items);
  return [
    shard,
    new Date(nowMs),
    new Date(expiryOf(nowMs)),
    ...MADE_COLUMNS.map((column) => column.textOf(made)),
    ...PHONE_COLUMNS.map((column) => column.textOf(phones)),
    ...DECIDED_COLUMNS.map((column) => column.textOf(decisions)),
  ];
}

function phonesChanged({ state }: StartPlan, items: readonly StartItem[]): WrittenPhone[] {
  const phones = new Map<PhoneState, WrittenPhone>();
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
