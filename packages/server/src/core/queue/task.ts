import type { Static, TSchema } from "typebox";
import { Value } from "typebox/value";
import type { Base } from "../base.ts";
import type { Step, Tx } from "../db/driver/database.ts";
import { notify } from "../db/driver/notifications.ts";
import { assert } from "../platform/assert.ts";
import { LANES } from "./lane-names.ts";
import { insertJob } from "./sql.ts";

/** Outcome of a run. A throw counts as a retry. */
export type TaskOutcome =
  | "done"
  | { readonly retry: string }
  /** No retry will help. */
  | { readonly giveUp: string };

/** Facts and checks for a run about itself. */
export interface TaskRun {
  /** Number of earlier runs that asked for a retry. */
  readonly attempts: number;
  /**
   * Throws LeaseLost, which rolls the transaction back, when another worker has taken the job over. Protects writes
   * from a run that was believed dead.
   */
  checkLease(tx: Tx): Promise<void>;
}

/** One kind of background work. Its payload is ids, not copies of rows. */
export interface Task<P extends TSchema = TSchema, in D = Base> {
  readonly name: string;
  readonly payload: P;
  /** Delays between runs; after the last one the job is given up. */
  readonly retryDelaysSeconds: readonly number[];
  readonly timeoutMs: number;
  /** Must be safe to run twice: a worker may die after the work and before storing the outcome. */
  readonly run: (
    deps: D,
    payload: Static<P>,
    signal: AbortSignal,
    run: TaskRun,
  ) => Promise<TaskOutcome>;
  /** Runs in the transaction that gives the job up, so that the domain can update its rows. */
  readonly gaveUp?: (deps: D, tx: Tx, payload: Static<P>, reason: string) => Promise<void>;
}

/** A task of any payload, for the list of all tasks. */
export type AnyTask<D> = Omit<Task, "run" | "gaveUp"> & {
  readonly run: (
    deps: D,
    payload: never,
    signal: AbortSignal,
    run: TaskRun,
  ) => Promise<TaskOutcome>;
  readonly gaveUp?: (deps: D, tx: Tx, payload: never, reason: string) => Promise<void>;
};

export function defineTask<P extends TSchema, D = Base>(spec: Task<P, D>): Task<P, D> {
  return spec;
}

/** Work due later is found by polling in time and needs no NOTIFY. */
const NOTIFY_WITHIN_MS = 1_500;

/**
 * Stores a job with its due time in the caller's transaction: it exists if and only if that commits. Work of the
 * installation itself has no account and uses shard 0.
 */
export async function enqueue<P extends TSchema, D>(
  deps: Base,
  tx: Tx,
  owner: { readonly shard: number; readonly accountId: string | null },
  task: Task<P, D>,
  payload: Static<P>,
  runAtMs: number,
): Promise<void> {
  const step = jobStep(deps, owner, task, payload, runAtMs);
  await tx.query(step.statement, step.values);
  if (runAtMs - deps.clock.now() < NOTIFY_WITHIN_MS) await notify(tx, "longwave_work", LANES.jobs);
}

/** Stores a job as a step of a pipelined transaction. Polling finds the job within a second. */
export function jobStep<P extends TSchema, D>(
  deps: Pick<Base, "clock" | "ids">,
  owner: { readonly shard: number; readonly accountId: string | null },
  task: Task<P, D>,
  payload: Static<P>,
  runAtMs: number,
): Step {
  assert(Value.Check(task.payload, payload), `The payload of ${task.name} is not as declared.`);
  const now = deps.clock.now();
  const values = [
    owner.shard,
    deps.ids.makeAt(now),
    owner.accountId,
    task.name,
    JSON.stringify(payload),
    new Date(runAtMs),
    new Date(now),
  ];
  return { statement: insertJob, values };
}
