import type { LineType, Mode } from "@longwave/contract";
import type { AccountRow } from "../../account/accounts/index.ts";
import type { Queryable, Tx } from "../../core/db/driver/database.ts";
import { canLeaveFrom, serviceNumberFor } from "../../network/carriers/index.ts";
import type { OutboundDeps } from "../outbound/index.ts";
import { addToCounters, counterKeysOf } from "./fraud/counter-keys.ts";
import { countsStep, createHourlyCounts } from "./fraud/hourly-counts.ts";
import { isScored } from "./fraud/rules.ts";
import { addServiceCounts } from "./fraud/service-loss.ts";
import { countsOwner, createVelocityCounters } from "./fraud/velocity-counters.ts";
import { type CodeRefusal, scoreCode } from "./score-code.ts";
import { readStops } from "./sql.ts";
import type { StartItem } from "./start/item.ts";
import { isPaidByService, SERVICE_SHARD } from "./start/state.ts";
import { countSend } from "./start/writer.ts";

export { maskedText } from "./start/compose-code.ts";

/** The service's number that sends a code to this phone; `isViaCarrier`: through a real carrier. */
export function codeSender(
  deps: OutboundDeps,
  mode: Mode,
  phone: string,
): { readonly from: string; readonly isViaCarrier: boolean } | null {
  const from = serviceNumberFor(deps, mode, phone);
  return from === null ? null : { from, isViaCarrier: canLeaveFrom(deps, from) };
}

/** Whether this phone has sent STOP to the service's own numbers. */
export async function hasStoppedService(db: Queryable, phone: string): Promise<boolean> {
  return (await stoppedService(db, [phone])).has(phone);
}

/** Phones among these that have sent STOP to the service's own numbers. */
export async function stoppedService(
  db: Queryable,
  phones: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ phone: string }>(readStops, [SERVICE_SHARD, phones]);
  return new Set(rows.map(({ phone }) => phone));
}

/** A code of POST /v1/verified_numbers that goes through a real carrier. */
export interface VerifiedNumberCode {
  readonly account: AccountRow;
  readonly mode: Mode;
  readonly phone: string;
  readonly country: string;
  readonly lineType: LineType;
  readonly isResend: boolean;
}

/**
 * Applies the limits and fraud rules of POST /v1/verify to a code of POST /v1/verified_numbers, and
 * counts the code. Null: the code may be sent. The caller holds the account's lock. The caller commits
 * refusals too: they include the decision, its event and a prefix block.
 */
export async function scoreVerifiedNumberCode(
  deps: OutboundDeps,
  tx: Tx,
  code: VerifiedNumberCode,
): Promise<CodeRefusal | null> {
  const item = itemOf(code);
  return scoreCode(deps, tx, item, code.isResend, (plan, phone) => {
    const isNew = !code.isResend;
    countSend(plan, item, phone, { isNew, isPaidByService: isPaidByService(item, null) });
  });
}

function itemOf({ account, mode, phone, country, lineType }: VerifiedNumberCode): StartItem {
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
    own: null,
    checkedSenders: [],
    serviceNumber: null,
    isViaCarrier: true,
    isUnpaid: true,
    claim: null,
    serialize: () => "",
  };
}

/** Counts a code of POST /v1/verified_numbers as answered. The caller holds the account's lock. */
export function countVerifiedNumberCodeAnswered(
  deps: Pick<OutboundDeps, "clock">,
  tx: Tx,
  account: AccountRow,
  mode: Mode,
  phone: string,
): void {
  const nowMs = deps.clock.now();
  const owner = countsOwner(account.id, mode);
  const counters = createVelocityCounters();
  const hours = createHourlyCounts();
  const answered = isScored(phone) ? 1 : 0;
  addToCounters(counters, counterKeysOf(phone, null), nowMs, { approved: answered });
  hours.add(owner, { answered });
  const step = countsStep(account.shard, [{ owner, counters }], hours, nowMs);
  tx.send(step.statement, step.values);
  addServiceCounts(tx, { answered: 1 }, nowMs);
}
