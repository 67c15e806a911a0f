/** What fraud protection counts, in slices of time. */
export interface Counts {
  readonly started: number;
  readonly sent: number;
  readonly approved: number;
}

export interface CountedSlice extends Counts {
  readonly key: string;
  readonly bucketMs: number;
}

const NOTHING: Counts = { started: 0, sent: 0, approved: 0 };

/**
 * The counts of one account and mode, as far as a group of requests looks at them. It is filled
 * from the database under the account's lock, counts on in memory, and tells what to add there.
 */
export interface CounterBook {
  fill(slices: readonly CountedSlice[]): void;
  /** The sum over slices that begin from one moment up to before another. */
  sum(key: string, fromMs: number, beforeMs: number): Counts;
  add(key: string, bucketMs: number, more: Partial<Counts>): void;
  /** What was added since the book was made. */
  added(): CountedSlice[];
}

export function createCounterBook(): CounterBook {
  const totals = new Map<string, Map<number, Counts>>();
  const changes = new Map<string, Map<number, Counts>>();
  return {
    fill(slices) {
      for (const slice of slices) put(totals, slice.key, slice.bucketMs, slice);
    },
    sum(key, fromMs, beforeMs) {
      let sum = NOTHING;
      for (const [bucketMs, counts] of totals.get(key) ?? []) {
        if (bucketMs >= fromMs && bucketMs < beforeMs) sum = plus(sum, counts);
      }
      return sum;
    },
    add(key, bucketMs, more) {
      put(totals, key, bucketMs, more);
      put(changes, key, bucketMs, more);
    },
    added: () =>
      [...changes].flatMap(([key, slices]) =>
        [...slices].map(([bucketMs, counts]) => ({ key, bucketMs, ...counts })),
      ),
  };
}

function put(
  book: Map<string, Map<number, Counts>>,
  key: string,
  bucketMs: number,
  more: Partial<Counts>,
): void {
  const slices = book.get(key) ?? new Map<number, Counts>();
  book.set(key, slices);
  slices.set(bucketMs, plus(slices.get(bucketMs) ?? NOTHING, more));
}

function plus(a: Counts, b: Partial<Counts>): Counts {
  return {
    started: a.started + (b.started ?? 0),
    sent: a.sent + (b.sent ?? 0),
    approved: a.approved + (b.approved ?? 0),
  };
}
