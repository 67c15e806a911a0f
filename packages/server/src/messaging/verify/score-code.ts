import type { VerificationRule } from "@longwave/contract";
import type { Tx } from "../../core/db/driver/database.ts";
import { NO_SLOTS, type OutboundDeps } from "../outbound/index.ts";
import type { StartItem } from "./start/item.ts";
import { addDecision, newPlan, type StartPlan, writePlan } from "./start/plan.ts";
import { secondsToWait } from "./start/send-limits.ts";
import { type PhoneState, readStartState } from "./start/state.ts";
import { block, scoreItem, secondsToWaitAsTarget } from "./start/writer.ts";

export type CodeRefusal =
  | { readonly kind: "limited"; readonly retryAfterSeconds: number }
  | { readonly kind: "blocked"; readonly reason: VerificationRule };

/**
 * Applies the limits and fraud rules of POST /v1/verify to a code that starts no verification. Null: the
 * code may be sent; `count` has counted it. The caller commits refusals too: they include the decision
 * and its event.
 */
export async function scoreCode(
  deps: OutboundDeps,
  tx: Tx,
  item: StartItem,
  isResend: boolean,
  count: (plan: StartPlan, phone: PhoneState) => void,
): Promise<CodeRefusal | null> {
  const nowMs = deps.clock.now();
  const { shard } = item.account;
  const state = await readStartState(tx, shard, [item], nowMs);
  const plan = newPlan({ deps, tx, shard, nowMs, state, slots: NO_SLOTS });
  const phone = state.phoneOf(item);
  const wait = secondsToWait(phone, null, nowMs) ?? secondsToWaitAsTarget(plan, item);
  if (wait !== null) return { kind: "limited", retryAfterSeconds: wait };
  const score = scoreItem(plan, item, null, phone.sentAtMs, isResend);
  if (!score.allowed) {
    const { reason } = block(plan, item, score);
    writePlan(plan, [item]);
    return { kind: "blocked", reason };
  }
  addDecision(plan, item, score, deps.ids.makeAt(nowMs), null);
  count(plan, phone);
  writePlan(plan, [item]);
  return null;
}
