import type { Queryable } from "../db/database.ts";
import { notify } from "../db/notifications.ts";
import type { Clock } from "../platform/clock.ts";
import type { Log } from "../platform/log.ts";

/** Tells loops that a lane has work. */
export interface Wakes {
  /** To the loops of this process, faster than a NOTIFY comes round. */
  wake(lane: string): void;
  /**
   * To the loops of every process, when a moment has come (service time): work falls due then. For
   * work that falls due sooner than a look of the lane's watcher would find it. May be said before
   * the work is committed.
   */
  wakeAt(lane: string, dueAtMs: number): void;
  subscribe(hear: (lane: string) => void): () => void;
  /** Forgets what was to be told. */
  close(): void;
}

/** The longest sleep of a lane's watcher: work due later than this is found in good time. */
export const LOOK_EVERY_MS = 1_000;
/** A look may itself be late by this. */
const LOOK_LATE_MS = 500;

interface Pending {
  readonly dueAtMs: number;
  readonly forgo: () => void;
}

export function createWakes(deps: {
  readonly clock: Clock;
  readonly db: Queryable;
  readonly log: Log;
}): Wakes {
  const { clock, db, log } = deps;
  const hearers = new Set<(lane: string) => void>();
  /** The earliest moment of each lane. Who looks then finds what comes after it. */
  const pending = new Map<string, Pending>();
  const wake = (lane: string) => {
    for (const hear of hearers) hear(lane);
  };
  const ring = (lane: string) => {
    pending.delete(lane);
    wake(lane);
    // A worker that misses it looks within a second.
    notify(db, "longwave_work", lane).catch((error: unknown) =>
      log.debug({ err: error, lane }, "workers were not told of due work"),
    );
  };
  return {
    wake,
    wakeAt(lane, dueAtMs) {
      const waitMs = dueAtMs - clock.now();
      if (waitMs > LOOK_EVERY_MS + LOOK_LATE_MS) return;
      const before = pending.get(lane);
      if (before && before.dueAtMs <= dueAtMs) return;
      before?.forgo();
      const forgo = clock.after(Math.max(0, waitMs), () => ring(lane));
      pending.set(lane, { dueAtMs, forgo });
    },
    subscribe(hear) {
      hearers.add(hear);
      return () => hearers.delete(hear);
    },
    close() {
      for (const { forgo } of pending.values()) forgo();
      pending.clear();
    },
  };
}
