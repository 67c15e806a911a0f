import type { Base } from "../base.ts";
import type { Queryable } from "../db/driver/database.ts";
import { notify } from "../db/driver/notifications.ts";
import { EVERY_SHARD, EVERY_SHARD_ON_CITUS } from "../db/driver/sql-builder.ts";
import { type Statement, statement } from "../db/driver/statement.ts";
import type { Clock } from "../platform/clock.ts";
import type { Log } from "../platform/log.ts";

/**
 * A source of due work: a domain's own table, or the jobs table. Workers drive every lane of `app/lanes.ts`, and
 * `advance` of the test clock runs them until they are empty. `D`: dependencies of the lane's domain.
 */
export interface Lane<in D = Base> extends LaneTraits {
  /**
   * Runs one bounded chunk of the work due at the service's time and returns the number of items processed. Claims
   * with FOR UPDATE SKIP LOCKED; work outside the transaction holds a lease. The signal aborts when a stopping worker
   * runs out of time: release claimed work.
   */
  readonly runDue: (deps: D, worker: WorkerIdentity, signal: AbortSignal) => Promise<number>;
  /**
   * The earliest due time of waiting work (service time, epoch ms); null when there is none. Includes overdue and
   * claimed work, so that `advance` waits for it.
   */
  readonly nextDueAt: (deps: D) => Promise<number | null>;
  /** The same without claimed work, for readiness. Only lanes whose items take seconds need it. */
  readonly waitingSince?: (deps: D) => Promise<number | null>;
  /** The earliest due time of unclaimed work, until which the watcher sleeps; `waitingSince` by default. */
  readonly nextFreeAt?: (deps: D) => Promise<number | null>;
}

interface LaneTraits {
  readonly name: string;
  /** Concurrent chunks per process; 1 by default. */
  readonly loops?: number;
  /**
   * Minimum time between the starts of two chunks: work that falls due meanwhile is processed together. 0 by default.
   */
  readonly chunkEveryMs?: number;
  /** Treatment by `advance`; `walk` by default. */
  readonly inAdvance?: InAdvance;
}

/** A lane with its dependencies, as workers see it. */
export interface BoundLane extends LaneTraits {
  runDue(worker: WorkerIdentity, signal: AbortSignal): Promise<number>;
  nextDueAt(): Promise<number | null>;
  /** Due time of the oldest unclaimed work, past or future. */
  waitingSince(): Promise<number | null>;
  /** The earliest due time of unclaimed work. */
  nextFreeAt(): Promise<number | null>;
  /** Number of chunks that this process has begun. */
  begun(): number;
  /** Start of each chunk that this process is running, in monotonic milliseconds. */
  inHandSinceMs(): readonly number[];
}

/** `deps` is a function because the dependencies contain the bound lanes themselves. */
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
 * Treatment of a lane by `advance` of the test clock.
 *
 * - `walk`: the clock stops at each due time and runs the work there.
 * - `at_end`: periods passed on the way become one run at the end.
 * - `left_out`: the run has no visible effect, so `advance` does not wait for it.
 */
export type InAdvance = "walk" | "at_end" | "left_out";

/** The claiming worker. Each claim takes a new lease, so that a late writer differs from the present owner. */
export interface WorkerIdentity {
  readonly id: string;
  newLease(): Lease;
}

/** Stamp of a claim on its rows. The pair is never used twice. */
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

/** The earliest due time of one shard. */
interface DueShard {
  readonly shard: number;
  readonly dueAt: number;
}

/**
 * A statement that finds the earliest due time of every shard with one index probe each, however many rows wait. The
 * index starts with `shard` and the due column. `where` may use parameters.
 */
export function dueByShard(
  name: string,
  source: { readonly table: string; readonly dueAt: string; readonly where: string },
): Statement {
  const from = (shards: string) =>
    `select s.shard, d.due_at
       from ${shards}
      cross join lateral (
        select ${source.dueAt} as due_at from ${source.table}
         where shard = s.shard and ${source.where}
         order by ${source.dueAt} limit 1
      ) d`;
  return statement(name, from(EVERY_SHARD), {
    onCitus: from(EVERY_SHARD_ON_CITUS),
    acrossShards: "finds out which shards have due work",
  });
}

type DueDeps = Pick<Base, "db" | "clock" | "shards">;

async function readDueShards(
  deps: DueDeps,
  due: Statement,
  values: readonly unknown[] = [],
): Promise<DueShard[]> {
  const rows = await deps.db.query<{ shard: number; due_at: number }>(due, values);
  return rows.map((row) => ({ shard: row.shard, dueAt: row.due_at }));
}

/** The earliest due time over all shards, for `nextDueAt` of a lane. */
export async function earliestDue(
  deps: DueDeps,
  due: Statement,
  values: readonly unknown[] = [],
): Promise<number | null> {
  const shards = await readDueShards(deps, due, values);
  return shards.length === 0 ? null : Math.min(...shards.map((shard) => shard.dueAt));
}

/** Shards with due work, longest waiting first. An installation with one shard needs no query. */
export async function shardsDueNow(
  deps: DueDeps,
  due: Statement,
  values: readonly unknown[] = [],
): Promise<number[]> {
  if (deps.shards === 1) return [0];
  const now = deps.clock.now();
  const shards = await readDueShards(deps, due, values);
  return shards
    .filter((shard) => shard.dueAt <= now)
    .sort((a, b) => a.dueAt - b.dueAt)
    .map((shard) => shard.shard);
}

/** Wakes the loops of a lane. */
export interface Wakes {
  /** Wakes the loops of this process, sooner than a NOTIFY arrives. */
  wake(lane: string): void;
  /**
   * Wakes the loops of every process at a service time, for work that falls due before the watcher's next poll. May
   * be called before the work is committed.
   */
  wakeAt(lane: string, dueAtMs: number): void;
  subscribe(listener: (lane: string) => void): () => void;
  /** Cancels pending wakes. */
  close(): void;
}

/** Longest sleep of a lane's watcher. Work due later needs no wake. */
export const POLL_INTERVAL_MS = 1_000;
/** A poll may itself be late by this much. */
const POLL_LATE_MS = 500;

interface Pending {
  readonly dueAtMs: number;
  readonly cancel: () => void;
}

export function createWakes(deps: {
  readonly clock: Clock;
  readonly db: Queryable;
  readonly log: Log;
}): Wakes {
  const { clock, db, log } = deps;
  const listeners = new Set<(lane: string) => void>();
  /** The earliest wake of each lane. The woken watcher finds later work by itself. */
  const pending = new Map<string, Pending>();
  const wake = (lane: string) => {
    for (const listener of listeners) listener(lane);
  };
  const ring = (lane: string) => {
    pending.delete(lane);
    wake(lane);
    // A worker that misses the notification polls within a second.
    notify(db, "longwave_work", lane).catch((error: unknown) =>
      log.debug({ err: error, lane }, "lanes: NOTIFY of due work failed"),
    );
  };
  return {
    wake,
    wakeAt(lane, dueAtMs) {
      const waitMs = dueAtMs - clock.now();
      if (waitMs > POLL_INTERVAL_MS + POLL_LATE_MS) return;
      const before = pending.get(lane);
      if (before && before.dueAtMs <= dueAtMs) return;
      before?.cancel();
      const cancel = clock.after(Math.max(0, waitMs), () => ring(lane));
      pending.set(lane, { dueAtMs, cancel });
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      for (const { cancel } of pending.values()) cancel();
      pending.clear();
    },
  };
}
