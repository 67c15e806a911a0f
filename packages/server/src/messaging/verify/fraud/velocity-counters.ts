import type { Mode } from "@longwave/contract";

/** What fraud protection counts. */
export interface Counts {
  readonly started: number;
  readonly sent: number;
  readonly approved: number;
}

export interface CountedSlice extends Counts {
  readonly key: string;
  readonly bucketMs: number;
}

/** Whose counts they are. */
export interface CountsOwner {
  readonly accountId: string;
  readonly mode: Mode;
  /** Both, as one name: made once, because a start looks for its owner's things many times. */
  readonly key: string;
}

export function countsOwner(accountId: string, mode: Mode): CountsOwner {
  return { accountId, mode, key: `${accountId} ${mode}` };
}

const NOTHING: Counts = { started: 0, sent: 0, approved: 0 };

/**
 * The counts of one account and mode, as far as a group of requests looks at them: for each key
 * the sum over its window. It is filled from the database under the account's lock, counts on in
 * memory (what happens now is within every window), and tells what to add there.
 */
export interface CounterBook {
  fill(key: string, counts: Partial<Counts>): void;
  sum(keys: readonly { readonly key: string }[]): Counts;
  add(key: string, bucketMs: number, more: Partial<Counts>): void;
  /** What was added since the book was made. */
  added(): CountedSlice[];
}

/** Keys of sums that are only read: what the account did in the last half minute, and in a day. */
export const RECENT = { key: "recent" };
export const DAY = { key: "day" };

export function createCounterBook(): CounterBook {
  const totals = new Map<string, Counts>();
  const changes = new Map<string, CountedSlice>();
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
    added: () => [...changes.values()],
  };
}

function plus(a: Counts, b: Partial<Counts>): Counts {
  return {
    started: a.started + (b.started ?? 0),
    sent: a.sent + (b.sent ?? 0),
    approved: a.approved + (b.approved ?? 0),
  };
}
