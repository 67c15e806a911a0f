import type { LineType, Mode } from "@longwave/contract";
import type { AccountRow } from "../../account/accounts/index.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import type { OutboundDeps } from "../outbound/index.ts";
import { ACCOUNT_KEY, addToCounters, counterKeysOf } from "./fraud/counter-keys.ts";
import { isScored } from "./fraud/rules.ts";
import { countsOwner } from "./fraud/velocity-counters.ts";
import { type CodeRefusal, scoreCode } from "./score-code.ts";
import type { StartItem } from "./start/item.ts";
import { sendsInDay, sendsInHour } from "./start/send-limits.ts";

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
): Promise<CodeRefusal | null> {
  const item = itemOf(code);
  return scoreCode(deps, tx, item, false, (plan, phone) => {
    const { state, nowMs } = plan;
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
  });
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
