import {
  formatTimestamp,
  microsToUsd,
  Problem,
  USAGE_DAYS_DEFAULT,
  USAGE_DAYS_MAX,
  type Usage,
} from "@longwave/contract";
import type { Principal } from "../../account/accounts/index.ts";
import { customerOf } from "../../account/customers/index.ts";
import type { Base } from "../../core/base.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { isTimeZone } from "../../core/platform/time-zones.ts";
import type { HandlersOf } from "../../http/api/handler.ts";
import { parseTimestampParam } from "../../http/api/parse-fields.ts";
import { type CostSum, sumCarrierCosts } from "../../messaging/outbound/index.ts";
import { addDays, endOfDay } from "./calendar-days.ts";
import { countByDay } from "./count-messages.ts";
import { countVerified } from "./count-verified.ts";

/** Oldest time: ids count from 1970, and PostgreSQL has no date for the first days of the calendar. */
const FIRST_MS = 0;

type Kind = "outbound" | "inbound" | "verifications";
/** Counts and costs of one day or of the whole window. */
type Tally = Record<Kind, { count: number; costMicros: number }>;

interface Window {
  readonly created_after?: string;
  readonly created_before?: string;
  readonly timezone?: string;
}

export const usageHandlers: HandlersOf<"usage.get" | "customers.usage"> = {
  "usage.get": async ({ deps, caller }, { query }) => {
    const counted = await usageOf(deps, caller, null, query);
    return { status: 200, body: { object: "usage", mode: caller.mode, ...counted } };
  },

  "customers.usage": async ({ deps, caller }, { params, query }) => {
    const { id } = await customerOf(deps.db, caller.account, params.id);
    const counted = await usageOf(deps, caller, id, query);
    const customer_id = toApiId("customer", id);
    return { status: 200, body: { object: "customer_usage", customer_id, ...counted } };
  },
};

/** Messages sent and received, and verifications, of this mode: per calendar day, for one customer or all. */
async function usageOf(
  deps: Base,
  caller: Principal,
  customerId: string | null,
  window: Window,
): Promise<Omit<Usage, "object" | "mode">> {
  const zone = zoneOf(window);
  const { fromMs, beforeMs } = boundsOf(deps.clock.now(), window, zone);
  const range = {
    zone,
    customerId,
    customerIds: customerId === null ? null : [customerId],
    mode: caller.mode,
    fromMs: Math.max(fromMs, FIRST_MS),
    beforeMs: Math.max(beforeMs, FIRST_MS),
  };
  const [texts, verified, costs] = await Promise.all([
    countByDay(deps, caller.account, range),
    countVerified(deps, caller.account, range),
    sumCarrierCosts(deps.db, caller.account, range),
  ]);
  const rows = [
    ...texts.map((row) => ({ ...row, kind: row.direction })),
    ...verified.map((row) => ({ ...row, kind: "verifications" as const })),
  ];
  const days = new Map<string, Tally>();
  const totals = emptyTally();
  for (const row of rows) {
    const day = days.get(row.day) ?? emptyTally();
    days.set(row.day, day);
    for (const tally of [day, totals]) {
      tally[row.kind].count += row.count;
      tally[row.kind].costMicros += row.cost_micros;
    }
  }
  const inOrder = [...days].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    created_after: formatTimestamp(fromMs),
    created_before: formatTimestamp(beforeMs),
    totals: presentTally(totals),
    ...presentCosts(costs),
    data: inOrder.map(([date, tally]) => ({ date, ...presentTally(tally) })),
  };
}

/** Only installations whose carriers name costs show them. */
function presentCosts(costs: readonly CostSum[]): Pick<Usage, "carrier_costs"> {
  if (costs.length === 0) return {};
  const carrier_costs = costs.map(({ currency, amount_micros, count }) => ({
    currency,
    amount: amount_micros / 1_000_000,
    messages: count,
  }));
  return { carrier_costs };
}

function zoneOf({ timezone }: Window): string {
  if (timezone === undefined) return "UTC";
  if (isTimeZone(timezone)) return timezone;
  const message = "timezone must be an IANA zone, such as America/New_York.";
  throw new Problem("invalid_request", message, { param: "timezone" });
}

function boundsOf(
  nowMs: number,
  window: Window,
  zone: string,
): { fromMs: number; beforeMs: number } {
  const endOfToday = endOfDay(nowMs, zone);
  const after = parseTimestampParam(window.created_after, "created_after");
  const beforeMs =
    parseTimestampParam(window.created_before, "created_before") ??
    (after === null ? endOfToday : Math.min(endOfToday, addDays(after, USAGE_DAYS_MAX, zone)));
  // A window that ends before 1970 is empty, as it is in lists.
  const fromMs =
    after ?? Math.min(beforeMs, Math.max(FIRST_MS, addDays(beforeMs, -USAGE_DAYS_DEFAULT, zone)));
  if (after !== null && beforeMs <= after) {
    throw new Problem("invalid_request", "created_before must be later than created_after.", {
      param: "created_before",
    });
  }
  if (beforeMs > addDays(fromMs, USAGE_DAYS_MAX, zone)) {
    throw new Problem("invalid_request", `Ask for at most ${USAGE_DAYS_MAX} days at a time.`, {
      param: "created_after",
    });
  }
  return { fromMs, beforeMs };
}

function emptyTally(): Tally {
  const none = () => ({ count: 0, costMicros: 0 });
  return { outbound: none(), inbound: none(), verifications: none() };
}

function presentTally(tally: Tally) {
  const used = (kind: Kind) => ({
    count: tally[kind].count,
    cost_usd: microsToUsd(tally[kind].costMicros),
  });
  return {
    outbound: used("outbound"),
    inbound: used("inbound"),
    verifications: used("verifications"),
  };
}
