import { BrokenInvariant } from "../../platform/assert.ts";
import type { GroupMeter } from "../../platform/metrics.ts";
import { bisectFailures } from "./bisect-failures.ts";

/**
 * Group commit. Items that arrive while a write is in flight are written together by the next one: one transaction
 * carries hundreds of items under load. Without load an item is written at once, because no timer is involved. Each
 * caller gets its own result or error.
 */
export interface Group<Item, Result> {
  /** Resolves with this item's own result. Rejects with GroupFull when too many are waiting. */
  add(item: Item): Promise<Result>;
  /** Resolves when everything added so far has a result or an error. */
  drain(): Promise<void>;
}

export interface GroupOptions<Item, Result> {
  /** Writes the items in one transaction and returns one result for each, in the same order. */
  readonly write: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** Maximum weight of a write; every item weighs 1 unless `weightOf` is given. */
  readonly itemsPerWriteMax: number;
  /** Weight of an item that stands for several rows. A single item may exceed the maximum. */
  readonly weightOf?: (item: Item) => number;
  /**
   * Key of an item, such as its account. When more items wait than one write takes, the write takes them in rotation
   * over the keys, so that one busy key delays no other by more than the writes in flight.
   */
  readonly keyOf?: (item: Item) => string;
  readonly itemsWaitingMax: number;
  /** Maximum concurrent writes. Default: 1. */
  readonly writesInFlightMax?: number;
  /**
   * Pause after a write of this many items before the next write starts, so that the next group is larger. Null, or no
   * `rest`, starts it at once.
   */
  readonly rest?: (items: number) => Promise<void> | null;
  /** Minimum items for a write concurrent with another one: smaller groups wait and grow. */
  readonly itemsPerFurtherWriteMin?: number;
  /**
   * Whether single items may cause this error, so that the group is worth bisecting. An unavailable
   * database fails every item.
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
  const { writesInFlightMax = 1, itemsPerFurtherWriteMin = 1 } = options;
  const waiting: Waiting<Item, Result>[] = [];
  let writesInFlight = 0;
  let isScheduled = false;
  let drained: (() => void)[] = [];

  const mayWrite = () => {
    if (writesInFlight === 0) return waiting.length > 0;
    return writesInFlight < writesInFlightMax && waiting.length >= itemsPerFurtherWriteMin;
  };
  const pump = () => {
    isScheduled = false;
    while (mayWrite()) {
      const group = takeNext(options, waiting);
      writesInFlight += 1;
      const measured = options.meter?.start(group.length);
      const goOn = () => {
        writesInFlight -= 1;
        pump();
      };
      const written = () => {
        measured?.();
        const rest = options.rest?.(group.length) ?? null;
        // Without a pause the next write leaves before the callers resume: the database works meanwhile.
        if (rest !== null) void rest.then(goOn).then(tellDrained);
        else goOn();
      };
      void writeBisecting(options, group, written).then(tellDrained);
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
    // After the I/O phase of this event loop tick, so that requests read together are written together.
    setImmediate(pump);
  };

  return {
    add(item) {
      if (waiting.length >= options.itemsWaitingMax) return Promise.reject(new GroupFull());
      return new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        schedule();
      });
    },
    drain() {
      if (writesInFlight === 0 && waiting.length === 0) return Promise.resolve();
      return new Promise((resolve) => drained.push(resolve));
    },
  };
}

/** Removes the items of the next write from those that wait. */
function takeNext<Item, Result>(
  options: GroupOptions<Item, Result>,
  waiting: Waiting<Item, Result>[],
): readonly Waiting<Item, Result>[] {
  const { itemsPerWriteMax: weightMax, weightOf = () => 1, keyOf } = options;
  let total = 0;
  for (const { item } of waiting) total += weightOf(item);
  if (total <= weightMax) return waiting.splice(0);
  /** Weight of the waiting items of each key before the current one. */
  const weights = new Map<string, number>();
  const entries = waiting.map((one) => {
    const key = keyOf?.(one.item) ?? "";
    const weight = weightOf(one.item);
    const before = weights.get(key) ?? 0;
    weights.set(key, before + weight);
    return { one, weight, before };
  });
  entries.sort((a, b) => a.before - b.before);
  let weight = 0;
  const taken = new Set<Waiting<Item, Result>>();
  for (const entry of entries) {
    if (taken.size > 0 && weight + entry.weight > weightMax) break;
    weight += entry.weight;
    taken.add(entry.one);
  }
  const group = waiting.filter((one) => taken.has(one));
  waiting.splice(0, waiting.length, ...waiting.filter((one) => !taken.has(one)));
  return group;
}

/**
 * Writes a group and resolves its callers; poison items are bisected out and fail alone. `written` is
 * called once, when nothing of the group is left to write and before the last callers are resolved.
 */
async function writeBisecting<Item, Result>(
  options: GroupOptions<Item, Result>,
  group: readonly Waiting<Item, Result>[],
  written: () => void,
): Promise<void> {
  let queue = group;
  const takeFirst = (count: number) => {
    const first = queue.slice(0, count);
    queue = queue.slice(count);
    if (queue.length === 0) written();
    return first;
  };
  const rejectFirst = (count: number, error: unknown) => {
    for (const { reject } of takeFirst(count)) reject(error);
  };
  try {
    await bisectFailures(group.length, {
      isItemFault: options.isItemFault,
      async process(count, claimed) {
        claimed(count);
        const results = await options.write(queue.slice(0, count).map(({ item }) => item));
        // The write is committed: bisecting and repeating it would write the items twice.
        if (results.length !== count) {
          const message = `A group of ${count} items got ${results.length} results.`;
          return rejectFirst(count, new BrokenInvariant(message));
        }
        for (const [index, { resolve }] of takeFirst(count).entries()) {
          resolve(results[index] as Result);
        }
      },
      quarantine: async (error) => rejectFirst(1, error),
    });
  } catch (error) {
    rejectFirst(queue.length, error);
  }
}
