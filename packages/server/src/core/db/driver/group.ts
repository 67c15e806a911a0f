import { BrokenInvariant } from "../platform/assert.ts";
import type { GroupMeter } from "../platform/metrics.ts";

/**
 * Group commit. Items that arrive while the previous write is in flight are written together by
 * the next one: under load one transaction carries hundreds of items, and without load an item
 * is written at once, because no timer is involved. Each caller gets its own result or error.
 */
export interface Group<Item, Result> {
  /** Resolves with this item's own result. Rejects with GroupFull when too many are waiting. */
  add(item: Item): Promise<Result>;
  /** Resolves when everything added so far has been answered. */
  drain(): Promise<void>;
}

export interface GroupOptions<Item, Result> {
  /** Writes the items in one transaction and returns one result for each, in the same order. */
  readonly write: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly itemsPerWriteMax: number;
  readonly itemsWaitingMax: number;
  /** How many writes may be on their way at once; one unless said otherwise. */
  readonly writesInFlightMax?: number;
  /**
   * Waited for after a write of so many items before the next one is begun, so that more go together; null
   * begins it at once, as without this.
   */
  readonly rest?: (items: number) => Promise<void> | null;
  /** A write beside another is begun only for so many items: fewer do better to wait and go together. */
  readonly itemsPerFurtherWriteMin?: number;
  /** For how many an item counts there; one unless said otherwise. */
  readonly weigh?: (item: Item) => number;
  /**
   * Whether an error may be the fault of single items, so that the group is worth splitting.
   * A database that is away fails everybody alike.
   */
  readonly isItemFault: (error: unknown) => boolean;
  /** Counts the writes; `deps.metrics.group(name)` makes one. */
  readonly meter?: GroupMeter;
}

/** Back-pressure: the caller answers 503 instead of letting memory grow. */
export class GroupFull extends Error {
  constructor() {
    super("Too many writes are waiting.");
    this.name = "GroupFull";
  }
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

export function createGroup<Item, Result>(
  options: GroupOptions<Item, Result>,
): Group<Item, Result> {
  const { writesInFlightMax = 1, itemsPerFurtherWriteMin = 1, weigh = () => 1 } = options;
  const waiting: Waiting<Item, Result>[] = [];
  let weightWaiting = 0;
  let writesInFlight = 0;
  let isScheduled = false;
  let drained: (() => void)[] = [];

  const mayWrite = () => {
    if (writesInFlight === 0) return waiting.length > 0;
    return writesInFlight < writesInFlightMax && weightWaiting >= itemsPerFurtherWriteMin;
  };
  const pump = () => {
    isScheduled = false;
    while (mayWrite()) {
      const group = waiting.splice(0, options.itemsPerWriteMax);
      for (const { item } of group) weightWaiting -= weigh(item);
      writesInFlight += 1;
      const measured = options.meter?.start(group.length);
      const goOn = () => {
        writesInFlight -= 1;
        pump();
      };
      const written = () => {
        measured?.();
        const rest = options.rest?.(group.length) ?? null;
        // Without a rest the next write leaves before these answers are used: the database works meanwhile.
        if (rest !== null) void rest.then(goOn).then(tellDrained);
        else goOn();
      };
      void writeSplitting(options, group, written).then(tellDrained);
    }
  };
  const tellDrained = () => {
    if (writesInFlight > 0 || waiting.length > 0) return;
    for (const done of drained) done();
    drained = [];
  };
  const schedule = () => {
    if (isScheduled || !mayWrite()) return;
    isScheduled = true;
    // After the I/O of this round of the event loop: requests read from their sockets together go out together.
    setImmediate(pump);
  };

  return {
    add(item) {
      if (waiting.length >= options.itemsWaitingMax) return Promise.reject(new GroupFull());
      return new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        weightWaiting += weigh(item);
        schedule();
      });
    },
    drain() {
      if (writesInFlight === 0 && waiting.length === 0) return Promise.resolve();
      return new Promise((resolve) => drained.push(resolve));
    },
  };
}

/**
 * Writes a group and answers its callers; one that throws is halved until the items at fault
 * stand alone. `written` is called once, when nothing of the group is left to write and before
 * the last callers are answered.
 */
async function writeSplitting<Item, Result>(
  options: GroupOptions<Item, Result>,
  group: readonly Waiting<Item, Result>[],
  written: () => void,
): Promise<void> {
  let results: readonly Result[];
  try {
    results = await options.write(group.map((one) => one.item));
  } catch (error) {
    if (group.length === 1 || !options.isItemFault(error)) {
      written();
      for (const one of group) one.reject(error);
      return;
    }
    const middle = Math.ceil(group.length / 2);
    await writeSplitting(options, group.slice(0, middle), () => {});
    await writeSplitting(options, group.slice(middle), written);
    return;
  }
  written();
  if (results.length !== group.length) {
    // The write itself went well: to split and repeat it would write the items twice.
    const error = new BrokenInvariant(
      `A group of ${group.length} items got ${results.length} results.`,
    );
    for (const one of group) one.reject(error);
    return;
  }
  group.forEach((one, index) => {
    one.resolve(results[index] as Result);
  });
}
