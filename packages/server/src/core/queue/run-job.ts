import { Value } from "typebox/value";
import type { Base } from "../base.ts";
import type { Statement } from "../db/driver/statement.ts";
import type { Lease } from "./lane.ts";
import { keepLease, LeaseLost } from "./lease.ts";
import {
  finishJob,
  giveUpJob,
  type JobRow,
  lockHeldJob,
  releaseJob,
  renewJob,
  retryJob,
} from "./sql.ts";
import type { AnyTask, TaskOutcome, TaskRun } from "./task.ts";

/** After this many workers vanished while running a job, the job counts as the cause. */
const CRASH_CLAIMS_MAX = 3;
/** Time that a run has to notice its abort. */
const ABORT_GRACE_MS = 2_000;
const REASON_CHARS_MAX = 500;
/** Retry delays for storing a run's outcome; their sum is less than a lease. */
const STORE_DELAYS_MS = [100, 500, 1_000, 2_000, 4_000] as const;

/** Outcome of a run: as the task returned it, released by a stopping worker, or lost to another worker. */
type Outcome = TaskOutcome | "released" | "lost";

interface HeldJob<D extends Base> {
  readonly deps: D;
  readonly task: AnyTask<D>;
  readonly job: JobRow;
  /** The first four parameters of every statement behind the lease. */
  readonly key: readonly unknown[];
}

/** The same without the task's functions. */
type Held = Omit<HeldJob<Base>, "task"> & { readonly task: { readonly name: string } };

/** Runs a claimed job and stores its outcome. */
export async function runJob<D extends Base>(
  deps: D,
  task: AnyTask<D>,
  job: JobRow,
  lease: Lease,
  signal: AbortSignal,
): Promise<void> {
  const held: HeldJob<D> = { deps, task, job, key: [job.shard, job.id, lease.by, lease.epoch] };
  const outcome = await outcomeOf(held, signal);
  for (const delayMs of STORE_DELAYS_MS) {
    try {
      return await storeOutcome(held, outcome);
    } catch (error) {
      // An unstored outcome would make the job run again when the lease ends.
      deps.log.warn(
        { err: error, job: job.id, task: task.name },
        "jobs: outcome not stored, retrying",
      );
      await deps.clock.sleep(delayMs);
    }
  }
  await storeOutcome(held, outcome);
}

async function outcomeOf<D extends Base>(held: HeldJob<D>, signal: AbortSignal): Promise<Outcome> {
  const { deps, task, job } = held;
  if (job.crash_claims >= CRASH_CLAIMS_MAX) {
    return { giveUp: `Quarantined: ${job.crash_claims} workers vanished while running it.` };
  }
  if (!Value.Check(task.payload, job.payload)) {
    return { giveUp: `The payload is not as ${task.name} declares it.` };
  }
  const outOfTime = AbortSignal.timeout(task.timeoutMs);
  const renew = async () => (await deps.db.query(renewJob, held.key)).length > 0;
  try {
    return await keepLease(deps, signal, renew, (kept) =>
      orGrace(deps, AbortSignal.any([kept, outOfTime]), (limited) =>
        task.run(deps, job.payload as never, limited, taskRun(held)),
      ),
    );
  } catch (error) {
    if (error instanceof LeaseLost) return "lost";
    if (signal.aborted) return "released";
    if (outOfTime.aborted) return { retry: `It took longer than ${task.timeoutMs} ms.` };
    deps.log.error({ err: error, job: job.id, task: task.name }, "jobs: task threw");
    return { retry: error instanceof Error ? error.message : String(error) };
  }
}

function taskRun(held: Held): TaskRun {
  return {
    attempts: held.job.attempts,
    async checkLease(tx) {
      const rows = await tx.query(lockHeldJob, held.key);
      if (rows.length === 0) throw new LeaseLost();
    },
  };
}

/** Waits for the work, and at most `ABORT_GRACE_MS` longer after its signal aborted. */
async function orGrace<T>(
  deps: Base,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const settled = new AbortController();
  const graceOver = new Promise<never>((_, reject) => {
    const onAbort = () => {
      void deps.clock.sleep(ABORT_GRACE_MS, settled.signal).then(() => reject(signal.reason));
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true, signal: settled.signal });
  });
  try {
    return await Promise.race([work(signal), graceOver]);
  } finally {
    settled.abort();
  }
}

async function storeOutcome<D extends Base>(held: HeldJob<D>, outcome: Outcome): Promise<void> {
  const { deps, task, job, key } = held;
  if (outcome === "lost") return logLost(held);
  if (outcome === "done") return writeHeld(held, finishJob, key);
  if (outcome === "released") return writeHeld(held, releaseJob, key);
  if ("giveUp" in outcome) return giveUp(held, outcome.giveUp);
  const delaySeconds = task.retryDelaysSeconds[job.attempts];
  if (delaySeconds === undefined) return giveUp(held, outcome.retry);
  const runAt = new Date(deps.clock.now() + delaySeconds * 1_000);
  return writeHeld(held, retryJob, [...key, runAt, shortened(outcome.retry)]);
}

async function writeHeld(
  held: Held,
  statement: Statement,
  values: readonly unknown[],
): Promise<void> {
  const rows = await held.deps.db.query(statement, values);
  if (rows.length === 0) logLost(held);
}

async function giveUp<D extends Base>(held: HeldJob<D>, reason: string): Promise<void> {
  const { deps, task, job, key } = held;
  const fields = { job: job.id, task: task.name, reason };
  const values = [...key, new Date(deps.clock.now()), shortened(reason)];
  try {
    await deps.db.tx(async (tx) => {
      const rows = await tx.query(giveUpJob, values);
      if (rows.length === 0) return logLost(held);
      await task.gaveUp?.(deps, tx, job.payload as never, reason);
    });
  } catch (error) {
    deps.log.error({ ...fields, err: error }, "jobs: gaveUp handler failed");
    await deps.db.query(giveUpJob, values);
  }
  deps.log.error(fields, "jobs: job given up");
}

function logLost({ deps, task, job }: Held): void {
  deps.log.warn({ job: job.id, task: task.name }, "jobs: lease lost to another worker");
}

function shortened(reason: string): string {
  return reason.slice(0, REASON_CHARS_MAX);
}
