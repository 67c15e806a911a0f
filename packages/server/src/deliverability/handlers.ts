import {
  DELIVERABILITY_HOURS_DEFAULT,
  DELIVERABILITY_NUMBERS_MAX,
  type Deliverability,
  formatTimestamp,
} from "@longwave/contract";
import type { HandlersOf } from "../api/handler.ts";
import { sumHours } from "./sql.ts";
import { addTo, decidedOf, emptyTally, rateOf, type Tally } from "./tally.ts";

export const HOUR_MS = 3_600_000;

/** One hour of one number and carrier, as its table keeps it. */
export interface HourRow extends Tally {
  readonly hour: number;
  readonly number: string;
  readonly carrier: string;
}

/** A sum, by whichever is not null. */
interface SumRow extends Tally {
  readonly hour: number | null;
  readonly number: string | null;
  readonly carrier: string | null;
}

export const deliverabilityHandlers: HandlersOf<"deliverability.get"> = {
  "deliverability.get": async ({ deps, caller }, { query }) => {
    const hours = query.hours ?? DELIVERABILITY_HOURS_DEFAULT;
    const beforeMs = (Math.floor(deps.clock.now() / HOUR_MS) + 1) * HOUR_MS;
    const fromMs = beforeMs - hours * HOUR_MS;
    const { account, mode } = caller;
    const values = [account.shard, account.id, mode, new Date(fromMs)];
    const sums = await deps.db.query<SumRow>(sumHours, values);
    const byHour = sumsBy(sums, (sum) => sum.hour);
    const byCarrier = sumsBy(sums, (sum) => sum.carrier);
    const byNumber = sumsBy(sums, (sum) => sum.number);
    const totals = emptyTally();
    for (const tally of byHour.values()) addTo(totals, tally);
    const body: Deliverability = {
      object: "deliverability",
      mode,
      hours,
      created_after: formatTimestamp(fromMs),
      created_before: formatTimestamp(beforeMs),
      totals: present(totals),
      by_carrier: busiest(byCarrier).map(([carrier, tally]) => ({
        carrier: carrier === "" ? null : carrier,
        ...present(tally),
      })),
      by_number: busiest(byNumber)
        .slice(0, DELIVERABILITY_NUMBERS_MAX)
        .map(([number, tally]) => ({ phone_number: number, ...present(tally) })),
      series: Array.from({ length: hours }, (_, index) => {
        const hour = fromMs + index * HOUR_MS;
        return { hour: formatTimestamp(hour), ...present(byHour.get(hour) ?? emptyTally()) };
      }),
    };
    return { status: 200, body };
  },
};

function sumsBy<K>(sums: readonly SumRow[], keyOf: (sum: SumRow) => K | null): Map<K, Tally> {
  const found = new Map<K, Tally>();
  for (const sum of sums) {
    const key = keyOf(sum);
    if (key !== null) found.set(key, sum);
  }
  return found;
}

function busiest(sums: ReadonlyMap<string, Tally>): [string, Tally][] {
  const volume = ({ sent, refused }: Tally) => sent + refused;
  return [...sums].sort(
    ([nameA, a], [nameB, b]) => volume(b) - volume(a) || (nameA < nameB ? -1 : 1),
  );
}

function present(tally: Tally) {
  const { sent, delivered, undelivered, refused } = tally;
  return {
    sent,
    delivered,
    failed: undelivered + refused,
    // A receipt may be counted in an hour whose sends are older than the table.
    pending: Math.max(0, sent + refused - decidedOf(tally)),
    delivery_rate: rateOf(tally),
  };
}
