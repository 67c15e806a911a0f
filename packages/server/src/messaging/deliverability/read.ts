import {
  DELIVERABILITY_NUMBERS_MAX,
  type Deliverability,
  formatTimestamp,
  type Mode,
} from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import { sumHours, sumHoursOf } from "./sql.ts";
import { addTo, decidedOf, emptyTally, rateOf, type Tally } from "./tally.ts";

export const HOUR_MS = 3_600_000;

/** Sum by hour, number or carrier, whichever is not null. */
interface SumRow extends Tally {
  readonly hour: number | null;
  readonly number: string | null;
  readonly carrier: string | null;
}

/** Messages to count: account, mode, hours back, and numbers (null: all). */
export interface CountScope {
  readonly account: { readonly shard: number; readonly id: string };
  readonly mode: Mode;
  readonly hours: number;
  readonly numbers: readonly string[] | null;
}

/** Sums the hourly counts of an account into the answer of GET /deliverability. */
export async function readDeliverability(
  deps: Pick<Base, "db" | "clock">,
  { account, mode, hours, numbers }: CountScope,
): Promise<Deliverability> {
  const beforeMs = (Math.floor(deps.clock.now() / HOUR_MS) + 1) * HOUR_MS;
  const fromMs = beforeMs - hours * HOUR_MS;
  const values = [account.shard, account.id, mode, new Date(fromMs)];
  const sums = await (numbers === null
    ? deps.db.query<SumRow>(sumHours, values)
    : deps.db.query<SumRow>(sumHoursOf, [...values, numbers]));
  const byHour = sumsBy(sums, (sum) => sum.hour);
  const byCarrier = sumsBy(sums, (sum) => sum.carrier);
  const byNumber = sumsBy(sums, (sum) => sum.number);
  const totals = emptyTally();
  for (const tally of byHour.values()) addTo(totals, tally);
  return {
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
}

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
    // An hour may count a receipt whose submit predates the table.
    pending: Math.max(0, sent + refused - decidedOf(tally)),
    delivery_rate: rateOf(tally),
  };
}
