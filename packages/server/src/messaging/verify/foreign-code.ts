import type { LineType, Mode } from "@longwave/contract";
import type { AccountRow } from "../../account/accounts/index.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { NO_SLOTS, type OutboundDeps } from "../outbound/index.ts";
import { ACCOUNT_KEY, addToCounters, counterKeysOf } from "./fraud/counter-keys.ts";
import { isScored } from "./fraud/rules.ts";
import { countsOwner } from "./fraud/velocity-counters.ts";
import type { StartItem } from "./start/item.ts";
import { addDecision, newPlan, writePlan } from "./start/plan.ts";
import { secondsToWait, sendsInDay, sendsInHour } from "./start/send-limits.ts";
import { readStartState } from "./start/state.ts";
import { block, scoreItem, secondsToWaitAsTarget } from "./start/writer.ts";
import type { VerifiedNumberCodeRefusal } from "./verified-number-code.ts";

/** A code that another program made, about to leave from a number of the account. */
export interface ForeignCode {
  readonly account: AccountRow;
  readonly mode: Mode;
  readonly from: string;
  readonly phone: string;
  readonly country: string;
  readonly lineType: LineType;
}

/**
 * Applies the limits and fraud rules of POST /v1/verify to a code of another program, and counts it.
 * Null: the code may be sent. Nobody reports whether such a code was answered, so it stays out of the
 * account's conversion. The caller commits refusals too: they include the decision and its event.
 */
export async function scoreForeignCode(
  deps: OutboundDeps,
  tx: Tx,
  code: ForeignCode,
): Promise<VerifiedNumberCodeRefusal | null> {
  const nowMs = deps.clock.now();
  const { shard } = code.account;
  const item = itemOf(code);
  const state = await readStartState(tx, shard, [item], nowMs);
  const plan = newPlan({ deps, tx, shard, nowMs, state, slots: NO_SLOTS });
  const phone = state.phoneOf(item);
  const wait = secondsToWait(phone, null, nowMs) ?? secondsToWaitAsTarget(plan, item);
  if (wait !== null) return { kind: "limited", retryAfterSeconds: wait };
  const score = scoreItem(plan, item, null, phone.sentAtMs);
  if (!score.allowed) {
    const { reason } = block(plan, item, score);
    writePlan(plan, [item]);
    return { kind: "blocked", reason };
  }
  addDecision(plan, item, score, deps.ids.makeAt(nowMs), null);
  phone.sentAtMs = [...sendsInDay(phone.sentAtMs, nowMs), nowMs];
  phone.isChanged = true;
  const target = state.targets.get(item.phone);
  if (item.isViaCarrier && target) {
    state.targets.set(item.phone, [...sendsInHour(target, nowMs), nowMs]);
  }
  const counters = state.countersOf(item.owner);
  const keys = counterKeysOf(item.phone, null).filter(({ key }) => key !== ACCOUNT_KEY.key);
  addToCounters(counters, keys, nowMs, { started: isScored(item.phone) ? 1 : 0, sent: 1 });
  addToCounters(counters, [ACCOUNT_KEY], nowMs, { sent: 1 });
  writePlan(plan, [item]);
  return null;
}

function itemOf({ account, mode, from, phone, country, lineType }: ForeignCode): StartItem {
  return {
    account,
    mode,
    owner: countsOwner(account.id, mode),
    phone,
    country,
    lineType,
    appName: null,
    customerId: null,
    ip: null,
    metadata: null,
    // The account pays for the message, so the service loses nothing.
    own: { from, poolId: null },
    checkedSenders: [from],
    serviceNumber: null,
    isViaCarrier: mode === "live",
    claim: null,
    serialize: () => "",
  };
}
