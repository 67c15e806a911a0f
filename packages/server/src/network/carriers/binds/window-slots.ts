import type { Base } from "../../../core/base.ts";
import type { Wakes } from "../../../core/queue/lane.ts";
import { LANES } from "../../../core/queue/lane-names.ts";
import type { RequestedBy } from "../carrier.ts";
import { SlotQueue } from "./slot-queue.ts";

/** A link with a window of slots. */
export interface Windowed {
  /** Slots in all. */
  readonly window: number;
  /** `reserved`: slots in use, including `submitting`: slots whose message is being submitted. */
  reserved: number;
  submitting: number;
  /** Free slots; 0 while the link is down. */
  readonly free: number;
  readonly lease: { readonly isOurs: boolean };
}

/** One slot in this many is left by batches to single messages. */
const SLOTS_PER_FREE_ONE = 10;
/** Time without a slot after which a batch counts as starved and gets a reserved share. */
const STARVED_MS = 1_000;
const SLOTS_PER_BATCH_ONE = 4;
/** A batch that has not asked for a slot for this long has no demand. */
const DEMAND_MS = 1_000;
/** A link without an answer for this long has stalled. */
const STALLED_MS = 100;
/** Share of its slots, and longest time, for which a batch waits. */
const REFILL_SHARE = 0.75;
const FILLING_MS_MAX = 250;

/**
 * Window slots of this process's links, and their allocation between single messages and batches.
 */
export class BindWindowSlots<B extends Windowed> {
  readonly #deps: Pick<Base, "clock"> & { readonly wakes: Pick<Wakes, "wake"> };
  readonly #binds: () => readonly B[];
  readonly #queue: SlotQueue;
  #isClosed: boolean = false;
  /** Time at which a slot was last freed. */
  #freedAtMs = Number.NEGATIVE_INFINITY;
  /** A caller found no slot; the dispatch lane is woken when one is free. */
  #hasMissed: boolean = false;
  /** Time since which a batch waits for more slots; null when none waits. */
  #fillingSinceMs: number | null = null;
  #isWakePlanned: boolean = false;
  /** Time since which batches found no slot, and time of their last request. */
  #starvedSinceMs: number | null = null;
  #batchAskedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    deps: Pick<Base, "clock"> & { readonly wakes: Pick<Wakes, "wake"> },
    binds: () => readonly B[],
  ) {
    this.#deps = deps;
    this.#binds = binds;
    this.#queue = new SlotQueue(deps.clock);
  }

  reserve(count: number, requestedBy: RequestedBy): number {
    let taken = 0;
    while (taken < count && this.#take(requestedBy)) taken += 1;
    if (requestedBy === "batch") this.#noteBatch(taken > 0);
    else if (taken < count) this.#hasMissed = true;
    return taken;
  }

  /** Takes a slot as soon as one is free. False when none was in time, or no link is up. */
  reserveSoon(): Promise<boolean> {
    if (this.#take("single")) return Promise.resolve(true);
    if (this.#isClosed || this.#binds().length === 0) return Promise.resolve(false);
    return this.#queue.join();
  }

  /**
   * Whether a batch should wait: few slots are free and answers are arriving. The batches lane is
   * woken when more are free, when the link stalls, and after a while.
   */
  isFilling(): boolean {
    const { clock } = this.#deps;
    const now = clock.monotonic();
    const isMoving = now - this.#freedAtMs < STALLED_MS;
    const hasWaited = this.#fillingSinceMs !== null && now - this.#fillingSinceMs > FILLING_MS_MAX;
    if (!isMoving || hasWaited || this.#hasRoom()) {
      this.#fillingSinceMs = null;
      return false;
    }
    this.#fillingSinceMs ??= now;
    if (!this.#isWakePlanned) {
      this.#isWakePlanned = true;
      clock.after(STALLED_MS, () => {
        this.#isWakePlanned = false;
        this.#wakeBatches();
      });
    }
    return true;
  }

  release(count: number): void {
    let left = count;
    for (const bind of this.#binds()) {
      const slots = Math.min(left, unused(bind));
      bind.reserved -= slots;
      left -= slots;
    }
    this.offer();
  }

  /** The link of a reserved slot, now in use; null when no link has one left. */
  use(): B | null {
    const [first = null] = this.#binds()
      .filter((bind) => unused(bind) > 0)
      .sort((a, b) => Number(b.lease.isOurs) - Number(a.lease.isOurs) || unused(b) - unused(a));
    if (first) first.submitting += 1;
    return first;
  }

  /** Frees the slot of a message whose outcome is stored. */
  free(bind: B): void {
    bind.submitting = Math.max(0, bind.submitting - 1);
    bind.reserved = Math.max(0, bind.reserved - 1);
    this.#freedAtMs = this.#deps.clock.monotonic();
    this.offer();
  }

  /** Offers free slots: first to waiting callers, then to the lanes. */
  offer(): void {
    this.#queue.serve(() => this.#take("single"));
    if (this.#hasMissed) {
      this.#hasMissed = false;
      this.#deps.wakes.wake(LANES.dispatch);
    }
    if (this.#fillingSinceMs === null || !this.#hasRoom()) return;
    this.#wakeBatches();
    this.#fillingSinceMs = null;
  }

  /** Whether a reserved slot is not being submitted yet. */
  get hasUnused(): boolean {
    return this.#binds().some((bind) => unused(bind) > 0);
  }

  get freeCount(): number {
    return this.#binds().reduce((sum, bind) => sum + bind.free, 0);
  }

  /** Stops giving slots. */
  close(): void {
    this.#isClosed = true;
    this.#queue.close();
  }

  #take(requestedBy: RequestedBy): boolean {
    if (this.#isClosed) return false;
    // Each bind has a share of the rate, so fill the emptiest bind first.
    let widest: B | null = null;
    for (const bind of this.#binds()) if (!widest || bind.free > widest.free) widest = bind;
    if (!widest || widest.free <= this.#leftFree(requestedBy, widest)) return false;
    widest.reserved += 1;
    return true;
  }

  /** Slots that this requester must leave free. */
  #leftFree(requestedBy: RequestedBy, bind: B): number {
    if (requestedBy === "batch") return leftByBatches(bind);
    return this.#isBatchStarved() ? Math.ceil(bind.window / SLOTS_PER_BATCH_ONE) : 0;
  }

  #noteBatch(isServed: boolean): void {
    const now = this.#deps.clock.monotonic();
    if (isServed || now - this.#batchAskedAtMs > DEMAND_MS) this.#starvedSinceMs = null;
    this.#batchAskedAtMs = now;
    if (!isServed) this.#starvedSinceMs ??= now;
  }

  /** Single messages can fill the links alone; a starved batch gets a reserved share. */
  #isBatchStarved(): boolean {
    const now = this.#deps.clock.monotonic();
    if (this.#starvedSinceMs === null || now - this.#batchAskedAtMs > DEMAND_MS) return false;
    return now - this.#starvedSinceMs > STARVED_MS;
  }

  /**
   * Whether most of a batch's slots are free: a chunk costs about the same for few messages and
   * many.
   */
  #hasRoom(): boolean {
    let [free, all] = [0, 0];
    for (const bind of this.#binds()) {
      free += Math.max(0, bind.free - leftByBatches(bind));
      all += bind.window - leftByBatches(bind);
    }
    return free >= all * REFILL_SHARE;
  }

  #wakeBatches(): void {
    if (this.#fillingSinceMs !== null) this.#deps.wakes.wake(LANES.batches);
  }
}

/** Reserved slots whose message is not being submitted yet. */
function unused(bind: Windowed): number {
  return bind.reserved - bind.submitting;
}

/** Slots that batches leave to single messages. */
function leftByBatches(bind: Windowed): number {
  return Math.floor(bind.window / SLOTS_PER_FREE_ONE);
}
