import type { Base } from "../base.ts";
import type { Queryable } from "../db/driver/database.ts";
import { notify } from "../db/driver/notifications.ts";
import { EVERY_SHARD, EVERY_SHARD_ON_CITUS } from "../db/driver/sql-builder.ts";
import { type Statement, statement } from "../db/driver/statement.ts";
import type { Clock } from "../platform/clock.ts";
import type { Log } from "../platform/log.ts";

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

/** The earliest due time of one shard. */
interface DueShard {
  readonly shard: number;
  readonly dueAt: number;
}

/**
 * A statement that finds the earliest due time of every shard: one probe each of an index that
 * starts with `shard` and the due column, however many rows wait. `where` may use parameters.
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

/** The earliest due time over all shards; what `nextDueAt` of a lane answers. */
export async function earliestDue(
  deps: DueDeps,
  due: Statement,
  values: readonly unknown[] = [],
): Promise<number | null> {
  const shards = await readDueShards(deps, due, values);
  return shards.length === 0 ? null : Math.min(...shards.map((shard) => shard.dueAt));
}

/** The shards that have work due now, the longest waiting first. One shard needs no question. */
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
export const POLL_INTERVAL_MS = 1_000;
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
      if (waitMs > POLL_INTERVAL_MS + LOOK_LATE_MS) return;
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
