import type { Mode } from "@longwave/contract";

/** Counts that the fraud rules read. */
export interface Counts {
  readonly started: number;
  readonly sent: number;
  readonly approved: number;
}

export interface CounterSlice extends Counts {
  readonly key: string;
  readonly bucketMs: number;
}

/** Account and mode that counts belong to. */
export interface CountsOwner {
  readonly accountId: string;
  readonly mode: Mode;
  /** Account and mode in one string: precomputed, because every start uses it for several map lookups. */
  readonly key: string;
}

export function countsOwner(accountId: string, mode: Mode): CountsOwner {
  return { accountId, mode, key: `${accountId} ${mode}` };
}

const NOTHING: Counts = { started: 0, sent: 0, approved: 0 };

/**
 * Velocity counters of one account and mode: for each key the sum over its window. A group fills them
 * from the database under the account's lock, counts on in memory, and writes the added slices back.
 */
export interface VelocityCounters {
  fill(key: string, counts: Partial<Counts>): void;
  sum(keys: readonly { readonly key: string }[]): Counts;
  add(key: string, bucketMs: number, more: Partial<Counts>): void;
  /** Slices added since these counters were created. */
  addedSlices(): CounterSlice[];
}

/** Keys of read-only sums: the account in the last 30 seconds, and in the last day. */
export const RECENT_SENDS = { key: "recent" };
export const LAST_DAY = { key: "day" };
/** Codes answered in the account's best hour of `BEST_HOUR_DAYS`. */
export const BEST_HOUR = { key: "best hour" };
export const BEST_HOUR_DAYS = 7;

export function createVelocityCounters(): VelocityCounters {
  const totals = new Map<string, Counts>();
  const changes = new Map<string, CounterSlice>();
  return {
    fill(key, counts) {
      totals.set(key, plus(totals.get(key) ?? NOTHING, counts));
    },
    sum(keys) {
      let sum = NOTHING;
      for (const { key } of keys) {
        const counts = totals.get(key);
        if (counts) sum = plus(sum, counts);
      }
      return sum;
    },
    add(key, bucketMs, more) {
      totals.set(key, plus(totals.get(key) ?? NOTHING, more));
      const slice = `${key} ${bucketMs}`;
      const { started, sent, approved } = plus(changes.get(slice) ?? NOTHING, more);
      changes.set(slice, { key, bucketMs, started, sent, approved });
    },
    addedSlices: () => [...changes.values()],
  };
}

function plus(a: Counts, b: Partial<Counts>): Counts {
  return {
    started: a.started + (b.started ?? 0),
    sent: a.sent + (b.sent ?? 0),
    approved: a.approved + (b.approved ?? 0),
  };
}
