import {
  DEGRADED_MESSAGES_MIN,
  DEGRADED_POINTS_MIN,
  type DeliverabilityScope,
} from "@longwave/contract";
import { HOUR_MS } from "./read.ts";
import { addOutcomes, decidedOf, failedOf, noOutcomes, type Outcomes, rateOf } from "./tally.ts";

const BASELINE_MS = 24 * HOUR_MS;

/** What one number sent over one carrier between two moments. */
export interface Slice extends Outcomes {
  readonly startsAt: number;
  readonly endsAt: number;
  readonly number: string;
  readonly carrier: string;
}

/** What dropped: all traffic, or that of one carrier or number. */
export interface Drop {
  readonly scope: DeliverabilityScope;
  readonly value: string | null;
  readonly rate: number;
  readonly baselineRate: number;
  readonly messages: number;
}

/** Where the last hour begins, and where the day does that it is measured by. */
export function edgesAt(now: number): { readonly recentFrom: number; readonly dayFrom: number } {
  const recentFrom = now - HOUR_MS;
  return { recentFrom, dayFrom: recentFrom - BASELINE_MS };
}

/**
 * Every scope of an account whose rate dropped, if the slices end at the edges of the last hour and of the
 * day before it. Of a slice that lies across one of them it is not known what belongs where; then these are
 * all scopes whose rate can have dropped. The sandbox has no carriers to speak of.
 */
export function dropsAmong(slices: readonly Slice[], now: number): Drop[] {
  const carriers = grouped(
    slices.filter((slice) => slice.carrier !== ""),
    (slice) => slice.carrier,
  );
  const numbers = grouped(slices, (slice) => slice.number);
  const drops = [
    dropOf(slices, "all", null, now),
    ...[...carriers].map(([name, own]) => dropOf(own, "carrier", name, now)),
    ...[...numbers].map(([name, own]) => dropOf(own, "number", name, now)),
  ];
  return drops.filter((drop) => drop !== null);
}

function grouped(slices: readonly Slice[], keyOf: (slice: Slice) => string): Map<string, Slice[]> {
  const groups = new Map<string, Slice[]>();
  for (const slice of slices) {
    const key = keyOf(slice);
    const group = groups.get(key);
    if (group) group.push(slice);
    else groups.set(key, [slice]);
  }
  return groups;
}

function dropOf(
  slices: readonly Slice[],
  scope: DeliverabilityScope,
  value: string | null,
  now: number,
): Drop | null {
  const { recent, before, messages } = atWorst(slices, now);
  const rate = rateOf(recent);
  const baselineRate = rateOf(before);
  if (messages < DEGRADED_MESSAGES_MIN || rate === null || baselineRate === null) return null;
  // Compared in whole points and a bit: a fraction is not exact.
  if ((baselineRate - rate) * 100 < DEGRADED_POINTS_MIN - 1e-6) return null;
  return { scope, value, rate, baselineRate, messages };
}

/**
 * The last hour and the day before it, and how many texts of the last hour are decided. What lies across an
 * edge is taken for what makes the greatest drop: all that failed for recent, all that arrived for earlier.
 */
function atWorst(
  slices: readonly Slice[],
  now: number,
): { readonly recent: Outcomes; readonly before: Outcomes; readonly messages: number } {
  const { recentFrom, dayFrom } = edgesAt(now);
  const recent = noOutcomes();
  const before = noOutcomes();
  let arrivedAcross = 0;
  for (const slice of slices) {
    const { startsAt, endsAt, delivered } = slice;
    if (endsAt <= dayFrom) continue;
    if (startsAt >= recentFrom) addOutcomes(recent, slice);
    else if (endsAt > recentFrom) {
      recent.undelivered += failedOf(slice);
      before.delivered += delivered;
      arrivedAcross += delivered;
    } else if (startsAt < dayFrom) before.delivered += delivered;
    else addOutcomes(before, slice);
  }
  return { recent, before, messages: decidedOf(recent) + arrivedAcross };
}
