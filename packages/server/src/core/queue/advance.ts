import { Problem } from "@longwave/contract";
import { statement } from "../db/driver/statement.ts";
import type { ShiftedClock } from "../platform/clock.ts";
import type { WorkerDeps } from "./deps.ts";
import { type BoundLane, createWorkerIdentity, type WorkerIdentity } from "./lane.ts";
import {
  holdsLease,
  keepLease,
  LEASE_IS_FREE,
  RELEASE_LEASE,
  RENEW_LEASE,
  takeLease,
} from "./lease.ts";
import { createStallDetector, STUCK_MS_MAX, type StallDetector } from "./stall-detector.ts";
import { moveTestClock, untilFollowed } from "./test-clock.ts";

const ADVANCE_MS_MAX = 300_000;
const LANE_FAILURES_MAX = 6;
const LANE_FAILURE_DELAY_MS = 200;
const CHUNKS_PER_ROUND_MAX = 1_000;
const WAIT_MS_MIN = 2;
/** Claimed work is waited for at most this long: a carrier may never answer. */
const IN_HAND_MS_MAX = 3_000;
const LEASE_POLL_MS = 10;

const takeClock = statement(
  "take_clock_lease",
  `update clock_lease set ${takeLease("$1", "$2")} where ${LEASE_IS_FREE} returning 1 as taken`,
);
const renewClock = statement(
  "renew_clock_lease",
  `update clock_lease set ${RENEW_LEASE} where ${holdsLease("$1", "$2")} returning 1 as kept`,
);
const giveClock = statement(
  "give_clock_lease",
  `update clock_lease set ${RELEASE_LEASE} where ${holdsLease("$1", "$2")}`,
);

/**
 * Moves the service's time forward and runs everything that falls due on the way, each at its own time. Work that is
 * due or in progress finishes first. The clock then moves from one due time to the next whenever every lane is empty.
 * Runs in any process and waits for the claimed work of other processes. Answers when nothing up to the new time is
 * due or in progress.
 */
export async function advance(
  deps: WorkerDeps,
  clock: ShiftedClock,
  seconds: number,
  around: AroundWalk = {},
): Promise<void> {
  const worker = createWorkerIdentity(deps.ids.make());
  const deadline = AbortSignal.timeout(ADVANCE_MS_MAX);
  await underLease(deps, worker, deadline, async (signal) => {
    await around.before?.();
    await walk(deps, clock, seconds * 1_000, worker, signal);
    await around.after?.();
  });
}

/** Callbacks inside the lease: they run for this walk alone, not while it queues behind another. */
interface AroundWalk {
  before?(): Promise<void>;
  after?(): Promise<void>;
}

/** Serializes walks over all processes. */
async function underLease(
  deps: WorkerDeps,
  worker: WorkerIdentity,
  deadline: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const lease = worker.newLease();
  const key = [lease.by, lease.epoch];
  while ((await deps.db.query(takeClock, key)).length === 0) {
    if (deadline.aborted) throw notDone("Another advance has not ended.");
    await deps.clock.sleep(LEASE_POLL_MS, deadline);
  }
  const renew = async () => (await deps.db.query(renewClock, key)).length > 0;
  try {
    await keepLease(deps, deadline, renew, work);
  } finally {
    await deps.db.query(giveClock, key);
  }
}

/** State of one walk. */
interface Walk {
  readonly deps: WorkerDeps;
  readonly worker: WorkerIdentity;
  readonly signal: AbortSignal;
  /** Consecutive failures per lane. */
  readonly failures: Map<string, number>;
  /** Consecutive rounds in which a lane had due work at the same clock time. */
  readonly rounds: Map<string, number>;
}

async function walk(
  deps: WorkerDeps,
  clock: ShiftedClock,
  ms: number,
  worker: WorkerIdentity,
  signal: AbortSignal,
): Promise<void> {
  const offsetAtEnd = clock.offsetMs() + ms;
  const walking: Walk = { deps, worker, signal, failures: new Map(), rounds: new Map() };
  const stall = createStallDetector(deps.clock);
  let isAtEnd = false;
  let isFollowed = false;
  for (;;) {
    if (signal.aborted) throw notDone("It took too long.");
    const { dues, isQuiet } = await readDues(deps, isAtEnd);
    const due = dues.filter((one) => one.dueAt <= clock.now());
    stall.note(due);
    if (due.length > 0) {
      const lanes = due.map((one) => one.lane);
      await doOrWait(walking, lanes, stall);
    } else if (!isQuiet) {
      // Work in progress may cause work that is due before any known due time.
      await deps.clock.sleep(WAIT_MS_MIN, signal);
    } else if (!isAtEnd) {
      const earliest = Math.min(...dues.map((one) => one.dueAt));
      // Real time passes too, so the end is an offset and not a time.
      const offset = Math.min(earliest - clock.realNow(), offsetAtEnd);
      isAtEnd = offset >= offsetAtEnd;
      if (await moveTestClock(deps.db, clock, offset)) walking.rounds.clear();
    } else if (!isFollowed) {
      // Other processes may find due work once the new time has reached them.
      await untilFollowed(deps.db, clock);
      isFollowed = true;
    } else return;
  }
}

/** Runs the due lanes, or waits for the workers that have claimed their work. */
async function doOrWait(
  walking: Walk,
  lanes: readonly BoundLane[],
  stall: StallDetector,
): Promise<void> {
  const counts = await Promise.all(lanes.map((lane) => runRound(walking, lane)));
  if (counts.some((count) => count > 0)) stall.restore();
  else if (!(await stall.wait())) {
    const names = lanes.map((lane) => lane.name).join(", ");
    const seconds = STUCK_MS_MAX / 1_000;
    throw notDone(`Work of ${names} is due and nobody could do it for ${seconds} s.`);
  }
}

/**
 * Reads each lane's next due time. `isQuiet`: no lane of this process had work in progress during the reads.
 * Otherwise a chunk that ended between two reads may have moved work from a lane read later to one read before.
 */
async function readDues(
  deps: WorkerDeps,
  isAtEnd: boolean,
): Promise<{ dues: readonly { lane: BoundLane; dueAt: number }[]; isQuiet: boolean }> {
  const lanes = deps.lanes.filter(({ inAdvance = "walk" }) =>
    isAtEnd ? inAdvance !== "left_out" : inAdvance === "walk",
  );
  const begun = () => lanes.reduce((sum, lane) => sum + lane.begun(), 0);
  const hasInHand = () => {
    const sinceMs = deps.clock.monotonic() - IN_HAND_MS_MAX;
    return lanes.some((lane) => lane.inHandSinceMs().some((ms) => ms > sinceMs));
  };
  const begunBefore = begun();
  const isFree = !hasInHand();
  const dues = await Promise.all(
    lanes.map(async (lane) => ({
      lane,
      dueAt: (await lane.nextDueAt()) ?? Number.POSITIVE_INFINITY,
    })),
  );
  return { dues, isQuiet: isFree && begun() === begunBefore };
}

/**
 * Runs chunks of a lane: one in the first round, as most times have one item, then twice as many in each further
 * round. Concurrency is that of a worker.
 */
async function runRound(walking: Walk, lane: BoundLane): Promise<number> {
  const { worker, signal, rounds } = walking;
  const round = rounds.get(lane.name) ?? 0;
  rounds.set(lane.name, round + 1);
  let chunksLeft = Math.min(2 ** round, CHUNKS_PER_ROUND_MAX);
  const loops = Math.min(lane.loops ?? 1, chunksLeft);
  const loop = async (): Promise<number> => {
    let sum = 0;
    while (chunksLeft > 0 && !signal.aborted) {
      chunksLeft -= 1;
      const done = await lane.runDue(worker, signal);
      if (done === 0) break;
      sum += done;
    }
    return sum;
  };
  const settled = await Promise.allSettled(Array.from({ length: loops }, loop));
  const failed = settled.find((one) => one.status === "rejected");
  await noteFailure(walking, lane, failed ? failed.reason : null);
  return settled.reduce((sum, one) => sum + (one.status === "fulfilled" ? one.value : 0), 0);
}

/** Tolerates a few consecutive failures of a lane; then the walk ends. */
async function noteFailure(walking: Walk, lane: BoundLane, failure: unknown): Promise<void> {
  const { deps, signal, failures } = walking;
  if (failure === null) {
    failures.delete(lane.name);
    return;
  }
  const inARow = (failures.get(lane.name) ?? 0) + 1;
  failures.set(lane.name, inARow);
  deps.log.warn({ err: failure, lane: lane.name }, "lanes: chunk failed during an advance");
  if (inARow >= LANE_FAILURES_MAX) {
    throw notDone(`The lane ${lane.name} keeps failing; the log has the reason.`);
  }
  await deps.clock.sleep(LANE_FAILURE_DELAY_MS * inARow, signal);
}

function notDone(reason: string): Problem {
  return new Problem(
    "unavailable",
    `${reason} The clock keeps the time that it reached; call advance again to continue from there.`,
  );
}
