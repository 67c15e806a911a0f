import {
  DEGRADED_MESSAGES_MIN,
  DEGRADED_POINTS_MIN,
  type DeliverabilityScope,
} from "@longwave/contract";
import { HOUR_MS } from "./read.ts";
import { addOutcomes, decidedOf, failedOf, noOutcomes, type Outcomes, rateOf } from "./tally.ts";

const BASELINE_MS = 24 * HOUR_MS;

/** Outcomes of messages of one number over one carrier from `startsAt` to `endsAt`. */
export interface Slice extends Outcomes {
  readonly startsAt: number;
  readonly endsAt: number;
  readonly number: string;
  readonly carrier: string;
}

/** Drop of the delivery rate of all traffic, one carrier or one number. */
export interface Drop {
  readonly scope: DeliverabilityScope;
  readonly value: string | null;
  readonly rate: number;
  readonly baselineRate: number;
  readonly messages: number;
}

/** Start of the last hour, and start of the 24 hours before it. */
export function edgesAt(now: number): { readonly recentFrom: number; readonly dayFrom: number } {
  const recentFrom = now - HOUR_MS;
  return { recentFrom, dayFrom: recentFrom - BASELINE_MS };
}

/**
 * Scopes whose delivery rate dropped. Exact if no slice crosses an edge of the last hour or of the day before;
 * otherwise these are all scopes whose rate can have dropped. Sandbox slices have no carrier.
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
  // The tolerance absorbs floating-point error.
  if ((baselineRate - rate) * 100 < DEGRADED_POINTS_MIN - 1e-6) return null;
  return { scope, value, rate, baselineRate, messages };
}

/**
 * Outcomes of the last hour and of the day before, and the decided messages of the last hour. Slices across an
 * edge count for the greatest possible drop: failures as recent, deliveries as earlier.
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
