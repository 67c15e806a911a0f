import type { Base } from "../../base.ts";
import type { Wakes } from "../../queue/lane.ts";
import { LANES } from "../../queue/lane-names.ts";
import type { WantedBy } from "../carrier.ts";
import { WaitingLine } from "./waiting-line.ts";

/** A link with a window: what of it texts hold. */
export interface Windowed {
  /** Places in all. */
  readonly window: number;
  /** Places of the window that texts hold, and how many of those are being submitted already. */
  held: number;
  begun: number;
  /** Places that nobody holds. */
  readonly free: number;
  readonly lease: { readonly isOurs: boolean };
}

/** A batch leaves one place in so many to texts that somebody waits for. */
const PLACES_PER_KEPT_ONE = 10;
/** A batch that found no place for this long has one in so many kept for it. */
const KEPT_OUT_MS = 1_000;
const PLACES_PER_BATCH_ONE = 4;
/** A batch that has asked for no place for this long wants none. */
const ASKED_LATELY_MS = 1_000;
/** A link that has answered nothing for this long stands still. */
const STANDS_STILL_MS = 100;
/** What of its places a batch waits for, and for how long. */
const ROOM_SHARE = 0.75;
const FILLING_MS_MAX = 250;

/** The places of the links that this process has, and who gets them. */
export class BindPlaces<B extends Windowed> {
  readonly #deps: Pick<Base, "clock"> & { readonly wakes: Pick<Wakes, "wake"> };
  readonly #binds: () => readonly B[];
  readonly #line: WaitingLine;
  #isClosed: boolean = false;
  /** When a place was last given back. */
  #freedAtMs = Number.NEGATIVE_INFINITY;
  /** Somebody found no place, and looks again when there is one. */
  #isMissed: boolean = false;
  /** Since when a batch waits for more places than a few, if one does. */
  #fillingSinceMs: number | null = null;
  #isWakePlanned: boolean = false;
  /** Since when batches found no place, and when one last asked. */
  #noPlaceSinceMs: number | null = null;
  #batchAskedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    deps: Pick<Base, "clock"> & { readonly wakes: Pick<Wakes, "wake"> },
    binds: () => readonly B[],
  ) {
    this.#deps = deps;
    this.#binds = binds;
    this.#line = new WaitingLine(deps.clock);
  }

  reserve(count: number, wantedBy: WantedBy): number {
    let taken = 0;
    while (taken < count && this.#take(wantedBy)) taken += 1;
    if (wantedBy === "batch") this.#noteBatch(taken > 0);
    else if (taken < count) this.#isMissed = true;
    return taken;
  }

  /** Takes a place once one is free; false when none was in time, or none of the links is up. */
  reserveSoon(): Promise<boolean> {
    if (this.#take("somebody")) return Promise.resolve(true);
    if (this.#isClosed || this.#binds().length === 0) return Promise.resolve(false);
    return this.#line.join();
  }

  /**
   * Whether a batch does better to wait: few places are free, and answers come in at this moment. It
   * is woken when there are more, when it stands still, and after a while.
   */
  isFilling(): boolean {
    const { clock } = this.#deps;
    const now = clock.monotonic();
    const isMoving = now - this.#freedAtMs < STANDS_STILL_MS;
    const hasWaited = this.#fillingSinceMs !== null && now - this.#fillingSinceMs > FILLING_MS_MAX;
    if (!isMoving || hasWaited || this.#hasRoom()) {
      this.#fillingSinceMs = null;
      return false;
    }
    this.#fillingSinceMs ??= now;
    if (!this.#isWakePlanned) {
      this.#isWakePlanned = true;
      clock.after(STANDS_STILL_MS, () => {
        this.#isWakePlanned = false;
        this.#wakeBatches();
      });
    }
    return true;
  }

  release(count: number): void {
    let left = count;
    for (const bind of this.#binds()) {
      const places = Math.min(left, unused(bind));
      bind.held -= places;
      left -= places;
    }
    this.offer();
  }

  /** The link of a place that was reserved, which is now used; null when there is none any more. */
  use(): B | null {
    const [first = null] = this.#binds()
      .filter((bind) => unused(bind) > 0)
      .sort((a, b) => Number(b.lease.isOurs) - Number(a.lease.isOurs) || unused(b) - unused(a));
    if (first) first.begun += 1;
    return first;
  }

  /** What the carrier answered to the text in a place of this link is written down. */
  free(bind: B): void {
    bind.begun = Math.max(0, bind.begun - 1);
    bind.held = Math.max(0, bind.held - 1);
    this.#freedAtMs = this.#deps.clock.monotonic();
    this.offer();
  }

  /** There may be places: for those who wait in line, then for those who look again. */
  offer(): void {
    this.#line.serve(() => this.#take("somebody"));
    if (this.#isMissed) {
      this.#isMissed = false;
      this.#deps.wakes.wake(LANES.dispatch);
    }
    if (this.#fillingSinceMs === null || !this.#hasRoom()) return;
    this.#wakeBatches();
    this.#fillingSinceMs = null;
  }

  /** Whether any place is held by a text that is not being submitted yet. */
  get areAnyUnused(): boolean {
    return this.#binds().some((bind) => unused(bind) > 0);
  }

  get freeCount(): number {
    return this.#binds().reduce((sum, bind) => sum + bind.free, 0);
  }

  /** From now on nobody gets one. */
  close(): void {
    this.#isClosed = true;
    this.#line.close();
  }

  #take(wantedBy: WantedBy): boolean {
    if (this.#isClosed) return false;
    // Each bind has a share of the rate: texts that crowd on one would wait while another is idle.
    let widest: B | null = null;
    for (const bind of this.#binds()) if (!widest || bind.free > widest.free) widest = bind;
    if (!widest || widest.free <= this.#keptFrom(wantedBy, widest)) return false;
    widest.held += 1;
    return true;
  }

  /** Places that are left to the others. */
  #keptFrom(wantedBy: WantedBy, bind: B): number {
    if (wantedBy === "batch") return keptOf(bind);
    return this.#isBatchKeptOut() ? Math.ceil(bind.window / PLACES_PER_BATCH_ONE) : 0;
  }

  #noteBatch(isServed: boolean): void {
    const now = this.#deps.clock.monotonic();
    if (isServed || now - this.#batchAskedAtMs > ASKED_LATELY_MS) this.#noPlaceSinceMs = null;
    this.#batchAskedAtMs = now;
    if (!isServed) this.#noPlaceSinceMs ??= now;
  }

  /** Single texts alone fill the links: a batch has to have its share. */
  #isBatchKeptOut(): boolean {
    const now = this.#deps.clock.monotonic();
    if (this.#noPlaceSinceMs === null || now - this.#batchAskedAtMs > ASKED_LATELY_MS) return false;
    return now - this.#noPlaceSinceMs > KEPT_OUT_MS;
  }

  /** Most of what a batch may have: a turn costs about the same for a few texts and for many. */
  #hasRoom(): boolean {
    let [free, all] = [0, 0];
    for (const bind of this.#binds()) {
      free += Math.max(0, bind.free - keptOf(bind));
      all += bind.window - keptOf(bind);
    }
    return free >= all * ROOM_SHARE;
  }

  #wakeBatches(): void {
    if (this.#fillingSinceMs !== null) this.#deps.wakes.wake(LANES.batches);
  }
}

/** Places that texts hold which are not being submitted yet. */
function unused(bind: Windowed): number {
  return bind.held - bind.begun;
}

/** Places that a batch leaves to others. */
function keptOf(bind: Windowed): number {
  return Math.floor(bind.window / PLACES_PER_KEPT_ONE);
}
