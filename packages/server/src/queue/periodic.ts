import type { Deps } from "../deps.ts";
import type { Lane, Lease } from "./lane.ts";
import { keepLease } from "./lease.ts";
import {
  claimPeriodic,
  finishPeriodic,
  insertPeriodic,
  type PeriodicRow,
  readPeriodic,
  renewPeriodic,
} from "./periodic-sql.ts";

/** Housekeeping of the installation, run once per period over all processes. */
export interface PeriodicTask {
  readonly name: string;
  readonly everySeconds: number;
  run(deps: Deps, signal: AbortSignal): Promise<void>;
  /** True when every period needs its own run; otherwise missed ones are one run. */
  readonly isEveryPeriodRun?: boolean;
}

const RETRY_AFTER_MS = 60_000;
const REASON_CHARS_MAX = 500;

/** The lanes that run periodic tasks: those that collapse missed periods, and those that do not. */
export function createPeriodicLanes(tasks: readonly PeriodicTask[]): readonly Lane[] {
  const [each, collapsing] = [true, false].map((isEach) =>
    tasks.filter((task) => (task.isEveryPeriodRun ?? false) === isEach),
  );
  return [
    ...(collapsing?.length
      ? [{ ...periodicLane("periodic", collapsing), isCollapsing: true }]
      : []),
    ...(each?.length ? [periodicLane("periodic_each", each)] : []),
  ];
}

function periodicLane(name: string, list: readonly PeriodicTask[]): Lane {
  const tasks = new Map(list.map((task) => [task.name, task]));
  const names = [...tasks.keys()];
  const nextDueAt = async (deps: Deps, isFreeOnly: boolean): Promise<number | null> => {
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

/** A task that nobody has seen before is first due at the end of the current period. */
async function insertMissing(deps: Deps, list: readonly PeriodicTask[]): Promise<void> {
  const now = deps.clock.now();
  await deps.db.query(insertPeriodic, [
    list.map((task) => task.name),
    list.map((task) => new Date(endOfPeriod(task, now))),
  ]);
}

async function runClaimed(
  deps: Deps,
  task: PeriodicTask,
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
    deps.log.error({ err: error, task: task.name }, "a periodic task failed");
    failure = (error instanceof Error ? error.message : String(error)).slice(0, REASON_CHARS_MAX);
  }
  const next = failure === null ? nextDue(task, dueAt, startedAt) : startedAt + RETRY_AFTER_MS;
  await deps.db.query(finishPeriodic, [...key, new Date(next), new Date(startedAt), failure]);
}

function nextDue(task: PeriodicTask, dueAt: number, now: number): number {
  return task.isEveryPeriodRun ? dueAt + task.everySeconds * 1_000 : endOfPeriod(task, now);
}

function endOfPeriod(task: PeriodicTask, now: number): number {
  const periodMs = task.everySeconds * 1_000;
  return (Math.floor(now / periodMs) + 1) * periodMs;
}
