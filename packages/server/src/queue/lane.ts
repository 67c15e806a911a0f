import type { Base } from "../base.ts";

/**
 * A source of due work: a domain's own table, or the jobs table. Workers drive every lane of
 * `src/lanes.ts`, and `advance` of the test clock runs them dry. `D` is what its domain needs.
 */
export interface Lane<in D = Base> extends LaneTraits {
  /**
   * Does one bounded chunk of what is due at the service's time and answers how many items it did.
   * Claims with FOR UPDATE SKIP LOCKED; work that leaves the transaction holds a lease. The signal
   * aborts when a stopping worker has no time left: let go of what is in hand.
   */
  readonly runDue: (deps: D, worker: WorkerIdentity, signal: AbortSignal) => Promise<number>;
  /**
   * The earliest moment (service time, epoch ms) at which waiting work falls due; null when there
   * is none. Overdue work and work that others hold count, so that `advance` waits for it.
   */
  readonly nextDueAt: (deps: D) => Promise<number | null>;
  /**
   * The same without the work that somebody has in hand, for readiness. A lane whose items take
   * seconds has one; the others need none.
   */
  readonly waitingSince?: (deps: D) => Promise<number | null>;
  /**
   * The earliest moment at which work falls due that nobody has in hand: what a worker sleeps
   * until. `waitingSince` when left out.
   */
  readonly nextFreeAt?: (deps: D) => Promise<number | null>;
}

interface LaneTraits {
  readonly name: string;
  /** How many chunks a process works on at a time; 1 when left out. */
  readonly loops?: number;
  /**
   * How long after a chunk was begun the next one is, at the earliest: what falls due meanwhile is done
   * together. At once when left out.
   */
  readonly chunkEveryMs?: number;
  /** What `advance` does about this lane; `walk` when left out. */
  readonly inAdvance?: InAdvance;
}

/** A lane that has what it needs: all that a worker knows of it. */
export interface BoundLane extends LaneTraits {
  runDue(worker: WorkerIdentity, signal: AbortSignal): Promise<number>;
  nextDueAt(): Promise<number | null>;
  /** When the oldest work that nobody has in hand fell due, or will. */
  waitingSince(): Promise<number | null>;
  /** The earliest moment at which work falls due that nobody has in hand. */
  nextFreeAt(): Promise<number | null>;
  /** How many chunks this process has begun so far. */
  begun(): number;
  /** When each chunk began that this process has in hand, by the clock that only ever grows. */
  inHandSinceMs(): readonly number[];
}

/** The lane takes what it needs when it runs: it is itself a part of it. */
export function bindLane<D extends Pick<Base, "clock">>(lane: Lane<D>, deps: () => D): BoundLane {
  const { name, loops, chunkEveryMs, inAdvance } = lane;
  const waitingSince = lane.waitingSince ?? lane.nextDueAt;
  const nextFreeAt = lane.nextFreeAt ?? waitingSince;
  const inHand = new Map<number, number>();
  let begun = 0;
  return {
    name,
    ...(loops === undefined ? {} : { loops }),
    ...(chunkEveryMs === undefined ? {} : { chunkEveryMs }),
    ...(inAdvance === undefined ? {} : { inAdvance }),
    async runDue(worker, signal) {
      begun += 1;
      const chunk = begun;
      inHand.set(chunk, deps().clock.monotonic());
      try {
        return await lane.runDue(deps(), worker, signal);
      } finally {
        inHand.delete(chunk);
      }
    },
    nextDueAt: () => lane.nextDueAt(deps()),
    waitingSince: () => waitingSince(deps()),
    nextFreeAt: () => nextFreeAt(deps()),
    begun: () => begun,
    inHandSinceMs: () => [...inHand.values()],
  };
}

/**
 * - `walk`: the clock stops at each due time, and the work is done there.
 * - `at_end`: periods that passed on the way are one run when the walk is over.
 * - `left_out`: nobody outside can tell whether it has run, so nobody waits for it.
 */
export type InAdvance = "walk" | "at_end" | "left_out";

/** Who claims. Each claim takes a lease of its own, so a late writer can be told from the owner. */
export interface WorkerIdentity {
  readonly id: string;
  newLease(): Lease;
}

/** What a claim stamps on the rows it takes. The pair is never used twice. */
export interface Lease {
  readonly by: string;
  readonly epoch: number;
}

export function createWorkerIdentity(id: string): WorkerIdentity {
  let epoch = 0;
  return {
    id,
    newLease() {
      epoch += 1;
      return { by: id, epoch };
    },
  };
}
