import {
  DELIVERABILITY_HOURS_DEFAULT,
  DELIVERABILITY_NUMBERS_MAX,
  type Deliverability,
  formatTimestamp,
} from "@longwave/contract";
import type { HandlersOf } from "../api/handler.ts";
import { readHours } from "./sql.ts";
import { addTo, decidedOf, emptyTally, rateOf, type Tally, tallyBy } from "./tally.ts";

export const HOUR_MS = 3_600_000;

/** One hour of one number and carrier, as its table keeps it. */
export interface HourRow extends Tally {
  readonly hour: number;
  readonly number: string;
  readonly carrier: string;
}

export const deliverabilityHandlers: HandlersOf<"deliverability.get"> = {
  "deliverability.get": async ({ deps, caller }, { query }) => {
    const hours = query.hours ?? DELIVERABILITY_HOURS_DEFAULT;
    const beforeMs = (Math.floor(deps.clock.now() / HOUR_MS) + 1) * HOUR_MS;
    const fromMs = beforeMs - hours * HOUR_MS;
    const { account, mode } = caller;
    const values = [account.shard, account.id, mode, new Date(fromMs)];
    const rows = await deps.db.query<HourRow>(readHours, values);
    const totals = emptyTally();
    for (const row of rows) addTo(totals, row);
    const body: Deliverability = {
      object: "deliverability",
      mode,
      hours,
      created_after: formatTimestamp(fromMs),
      created_before: formatTimestamp(beforeMs),
      totals: present(totals),
      by_carrier: busiest(rows, (row) => row.carrier).map(([carrier, tally]) => ({
        carrier: carrier === "" ? null : carrier,
        ...present(tally),
      })),
      by_number: busiest(rows, (row) => row.number)
        .slice(0, DELIVERABILITY_NUMBERS_MAX)
        .map(([number, tally]) => ({ phone_number: number, ...present(tally) })),
      series: seriesOf(rows, fromMs, hours),
    };
    return { status: 200, body };
  },
};

function busiest(rows: readonly HourRow[], keyOf: (row: HourRow) => string): [string, Tally][] {
  const volume = ({ sent, refused }: Tally) => sent + refused;
  return [...tallyBy(rows, keyOf)].sort(
    ([nameA, a], [nameB, b]) => volume(b) - volume(a) || (nameA < nameB ? -1 : 1),
  );
}

function seriesOf(
  rows: readonly HourRow[],
  fromMs: number,
  hours: number,
): Deliverability["series"] {
  const byHour = tallyBy(rows, (row) => row.hour);
  return Array.from({ length: hours }, (_, index) => {
    const hour = fromMs + index * HOUR_MS;
    return { hour: formatTimestamp(hour), ...present(byHour.get(hour) ?? emptyTally()) };
  });
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
