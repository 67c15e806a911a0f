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

/** After so many workers vanished with a job in hand, the job is taken for the cause. */
const CRASH_CLAIMS_MAX = 3;
/** How long a run may take to notice that its time is up. */
const ABORT_GRACE_MS = 2_000;
const REASON_CHARS_MAX = 500;
/** Waits between tries to write down how a run ended: together less than a lease. */
const WORD_DELAYS_MS = [100, 500, 1_000, 2_000, 4_000] as const;

/** How a run ended for the queue: as the task said, or interrupted from outside. */
type Ending = TaskOutcome | "released" | "lost";

interface HeldJob<D extends Base> {
  readonly deps: D;
  readonly task: AnyTask<D>;
  readonly job: JobRow;
  /** The first four parameters of every statement of the lease's holder. */
  readonly key: readonly unknown[];
}

/** The same for what does not run the task. */
type Held = Omit<HeldJob<Base>, "task"> & { readonly task: { readonly name: string } };

/** Runs a claimed job and writes down how it ended. */
export async function runJob<D extends Base>(
  deps: D,
  task: AnyTask<D>,
  job: JobRow,
  lease: Lease,
  signal: AbortSignal,
): Promise<void> {
  const held: HeldJob<D> = { deps, task, job, key: [job.shard, job.id, lease.by, lease.epoch] };
  const ending = await endingOf(held, signal);
  for (const delayMs of WORD_DELAYS_MS) {
    try {
      return await writeEnding(held, ending);
    } catch (error) {
      // Without the word the job would be done again when the lease ends.
      deps.log.warn({ err: error, job: job.id, task: task.name }, "a job's end was not written");
      await deps.clock.sleep(delayMs);
    }
  }
  await writeEnding(held, ending);
}

async function endingOf<D extends Base>(held: HeldJob<D>, signal: AbortSignal): Promise<Ending> {
  const { deps, task, job } = held;
  if (job.crash_claims >= CRASH_CLAIMS_MAX) {
    return { giveUp: `Set aside: ${job.crash_claims} workers vanished while running it.` };
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
    deps.log.error({ err: error, job: job.id, task: task.name }, "a task threw");
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

/** Waits for the work, and after its signal aborted only a little longer. */
async function orGrace<T>(
  deps: Base,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const settled = new AbortController();
  const impatient = new Promise<never>((_, reject) => {
    const onAbort = () => {
      void deps.clock.sleep(ABORT_GRACE_MS, settled.signal).then(() => reject(signal.reason));
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true, signal: settled.signal });
  });
  try {
    return await Promise.race([work(signal), impatient]);
  } finally {
    settled.abort();
  }
}

async function writeEnding<D extends Base>(held: HeldJob<D>, ending: Ending): Promise<void> {
  const { deps, task, job, key } = held;
  if (ending === "lost") return noteLost(held);
  if (ending === "done") return writeHeld(held, finishJob, key);
  if (ending === "released") return writeHeld(held, releaseJob, key);
  if ("giveUp" in ending) return giveUp(held, ending.giveUp);
  const delaySeconds = task.retryDelaysSeconds[job.attempts];
  if (delaySeconds === undefined) return giveUp(held, ending.retry);
  const runAt = new Date(deps.clock.now() + delaySeconds * 1_000);
  return writeHeld(held, retryJob, [...key, runAt, shortened(ending.retry)]);
}

async function writeHeld(
  held: Held,
  statement: Statement,
  values: readonly unknown[],
): Promise<void> {
  const rows = await held.deps.db.query(statement, values);
  if (rows.length === 0) noteLost(held);
}

async function giveUp<D extends Base>(held: HeldJob<D>, reason: string): Promise<void> {
  const { deps, task, job, key } = held;
  const fields = { job: job.id, task: task.name, reason };
  const values = [...key, new Date(deps.clock.now()), shortened(reason)];
  try {
    await deps.db.tx(async (tx) => {
      const rows = await tx.query(giveUpJob, values);
      if (rows.length === 0) return noteLost(held);
      await task.gaveUp?.(deps, tx, job.payload as never, reason);
    });
  } catch (error) {
    deps.log.error({ ...fields, err: error }, "what a task does when given up failed");
    await deps.db.query(giveUpJob, values);
  }
  deps.log.error(fields, "a job was given up");
}

function noteLost({ deps, task, job }: Held): void {
  deps.log.warn({ job: job.id, task: task.name }, "a job was taken over by another worker");
}

function shortened(reason: string): string {
  return reason.slice(0, REASON_CHARS_MAX);
}
