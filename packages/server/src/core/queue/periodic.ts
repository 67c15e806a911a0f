import type { Base } from "../base.ts";
import type { InAdvance, Lane, Lease } from "./lane.ts";
import { LANES } from "./lane-names.ts";
import { keepLease } from "./lease.ts";
import {
  claimPeriodic,
  finishPeriodic,
  insertPeriodic,
  type PeriodicRow,
  readPeriodic,
  renewPeriodic,
} from "./periodic-sql.ts";

/** Work of the installation as a whole, run once per period across all processes. */
export interface PeriodicTask<in D = Base> {
  readonly name: string;
  readonly everySeconds: number;
  /** Treatment of missed periods; `collapse` by default. */
  readonly missedPeriods?: MissedPeriods;
  readonly run: (deps: D, signal: AbortSignal) => Promise<void>;
}

/**
 * Treatment of missed periods.
 *
 * - `collapse`: one run makes up for all of them.
 * - `run_each`: each has a run of its own.
 * - `upkeep`: like `collapse`, but `advance` does not wait for it, because the run has no visible effect.
 */
export type MissedPeriods = "collapse" | "run_each" | "upkeep";

const PERIODIC_LANES: readonly {
  name: string;
  missedPeriods: MissedPeriods;
  inAdvance: InAdvance;
}[] = [
  { name: LANES.periodic, missedPeriods: "collapse", inAdvance: "at_end" },
  { name: LANES.periodicEach, missedPeriods: "run_each", inAdvance: "walk" },
  { name: LANES.upkeep, missedPeriods: "upkeep", inAdvance: "left_out" },
];

const RETRY_AFTER_MS = 60_000;
const REASON_CHARS_MAX = 500;

/** The lanes of periodic tasks: one for each treatment of missed periods in use. */
export function createPeriodicLanes<D extends Base>(
  tasks: readonly PeriodicTask<D>[],
): readonly Lane<D>[] {
  return PERIODIC_LANES.flatMap(({ name, missedPeriods, inAdvance }) => {
    const list = tasks.filter((task) => (task.missedPeriods ?? "collapse") === missedPeriods);
    return list.length === 0 ? [] : [{ ...periodicLane(name, list), inAdvance }];
  });
}

function periodicLane<D extends Base>(name: string, list: readonly PeriodicTask<D>[]): Lane<D> {
  const tasks = new Map(list.map((task) => [task.name, task]));
  const names = [...tasks.keys()];
  const nextDueAt = async (deps: Base, isFreeOnly: boolean): Promise<number | null> => {
    const rows = await deps.db.query<PeriodicRow>(readPeriodic, [names]);
    if (rows.length < names.length) await insertMissing(deps, list);
    const counted = isFreeOnly ? rows.filter((row) => row.is_free) : rows;
    return counted.length === 0 ? null : Math.min(...counted.map((row) => row.due_at));
  };
  return {
    name,
    nextDueAt: (deps) => nextDueAt(deps, false),
    waitingSince: (deps) => nextDueAt(deps, true),
    async runDue(deps, worker, signal) {
      const lease = worker.newLease();
      const now = new Date(deps.clock.now());
      const [row] = await deps.db.query<{ name: string; due_at: number }>(claimPeriodic, [
        names,
        now,
        lease.by,
        lease.epoch,
      ]);
      const task = row && tasks.get(row.name);
      if (!task) return 0;
      await runClaimed(deps, task, row.due_at, lease, signal);
      return 1;
    },
  };
}

/** A task without its work. */
type Period = Omit<PeriodicTask, "run">;

/** A new task is first due at the end of the current period. */
async function insertMissing(deps: Base, list: readonly Period[]): Promise<void> {
  const now = deps.clock.now();
  await deps.db.query(insertPeriodic, [
    list.map((task) => task.name),
    list.map((task) => new Date(endOfPeriod(task, now))),
  ]);
}

async function runClaimed<D extends Base>(
  deps: D,
  task: PeriodicTask<D>,
  dueAt: number,
  lease: Lease,
  signal: AbortSignal,
): Promise<void> {
  const key = [task.name, lease.by, lease.epoch];
  const renew = async () => (await deps.db.query(renewPeriodic, key)).length > 0;
  const startedAt = deps.clock.now();
  let failure: string | null = null;
  try {
    await keepLease(deps, signal, renew, (kept) => task.run(deps, kept));
  } catch (error) {
    deps.log.error({ err: error, task: task.name }, "periodic: task failed");
    failure = (error instanceof Error ? error.message : String(error)).slice(0, REASON_CHARS_MAX);
  }
  const next = failure === null ? nextDue(task, dueAt, startedAt) : startedAt + RETRY_AFTER_MS;
  await deps.db.query(finishPeriodic, [...key, new Date(next), new Date(startedAt), failure]);
}

function nextDue(task: Period, dueAt: number, now: number): number {
  return task.missedPeriods === "run_each"
    ? dueAt + task.everySeconds * 1_000
    : endOfPeriod(task, now);
}

function endOfPeriod(task: Period, now: number): number {
  const periodMs = task.everySeconds * 1_000;
  return (Math.floor(now / periodMs) + 1) * periodMs;
}
