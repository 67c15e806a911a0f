import { earliestDue, type Lane, shardsDueNow } from "../../core/queue/lane.ts";
import { LANES } from "../../core/queue/lane-names.ts";
import { valuesOf } from "../../network/carriers/index.ts";
import { bisectDue, type Submission, submitAll } from "../outbound/index.ts";
import { advanceBatch, isSendable } from "./advance-batch.ts";
import type { DueBatch } from "./batch-row.ts";
import type { BatchesDeps } from "./deps.ts";
import { ROWS_PER_RUN_MAX } from "./pace.ts";
import { failNext, sendChunks } from "./send-chunk.ts";
import {
  batchesDue,
  batchesFree,
  claimDueBatch,
  findReleasable,
  readDueBatch,
  releaseSuspended,
} from "./sql.ts";

/** Runs due batches, one short run each, round robin over accounts. */
export const batchesLane: Lane<BatchesDeps> = {
  name: LANES.batches,
  // A run of a live batch lasts until the carrier answers or is considered slow; other loops continue.
  loops: 4,
  nextDueAt: (deps) => orReleasable(deps, earliestDue(deps, batchesDue)),
  waitingSince: (deps) => earliestDue(deps, batchesDue),
  // A sending batch is always due: a loop woken for a batch that must wait would find nothing to do.
  nextFreeAt: (deps) => orReleasable(deps, earliestDue(deps, batchesFree, excludedValues(deps))),
  async runDue(deps) {
    let done = 0;
    for (const shard of await shardsDueNow(deps, batchesDue)) done += await serveNext(deps, shard);
    // With a run in progress, its loop looks for releasable batches afterwards.
    return done > 0 || deps.batchRotation.busy().length > 0 ? done : releaseSome(deps);
  },
};

async function orReleasable(
  deps: BatchesDeps,
  due: Promise<number | null>,
): Promise<number | null> {
  const [suspended, dueAt] = await Promise.all([
    deps.db.query<Releasable>(findReleasable, []),
    due,
  ]);
  const all = [...suspended.map((one) => one.due_at), ...(dueAt === null ? [] : [dueAt])];
  return all.length === 0 ? null : Math.min(...all);
}

interface Releasable {
  readonly shard: number;
  readonly due_at: number;
}

/** Releases the batches of accounts that may send again. */
async function releaseSome(deps: BatchesDeps): Promise<number> {
  let released = 0;
  for (const { shard } of await deps.db.query<Releasable>(findReleasable, [])) {
    released += (await deps.db.query(releaseSuspended, [shard])).length;
  }
  return released;
}

/** Serves the next batch of the shard; a poison recipient fails and delays no other. */
async function serveNext(deps: BatchesDeps, shard: number): Promise<number> {
  let batch: DueBatch | null = null;
  let done = 0;
  await bisectDue(deps, ROWS_PER_RUN_MAX, {
    async process(rowsMax, claimed) {
      const now = deps.clock.now();
      const own = await readDue(deps, shard, batch?.id ?? null, now);
      batch = own;
      if (own === null) return;
      const end = deps.batchRotation.begin(own.account_id);
      let submissions: readonly Submission[] = [];
      try {
        if (isSendable(own)) {
          const sent = await sendChunks(deps, own, { rowsMax, claimed }, now);
          // "moved": another process sends this batch now.
          if (sent.outcome !== "moved") done = 1;
          if (sent.outcome === "finished") await advance(deps, own);
          submissions = sent.submissions;
        } else done = await advance(deps, own);
      } finally {
        end();
        // The account may have another run while the carriers answer.
        if (own.mode === "live") deps.wakes.wake(LANES.batches);
      }
      await submitAll(deps, submissions);
    },
    async quarantine() {
      done = 1;
      if (batch) await failNext(deps, batch);
    },
  });
  return done;
}

/** Reads the next due batch, or the batch `id`, without a lock; null when there is none. */
async function readDue(
  deps: BatchesDeps,
  shard: number,
  id: string | null,
  now: number,
): Promise<DueBatch | null> {
  for (;;) {
    const [batch] = await deps.db.query<DueBatch>(readDueBatch, dueValues(deps, shard, id, now));
    if (!batch) return null;
    // Another loop may have started this account since the read; then read the next batch, at most once a loop.
    if (id !== null || !deps.batchRotation.busy().includes(batch.account_id)) return batch;
  }
}

/** Moves a batch that has no chunk to send; 0 when another process holds or has moved it. */
function advance(deps: BatchesDeps, { shard, id }: DueBatch): Promise<number> {
  const now = deps.clock.now();
  return deps.db.tx(async (tx) => {
    const [batch] = await tx.query<DueBatch>(claimDueBatch, dueValues(deps, shard, id, now));
    if (batch) await advanceBatch(deps, tx, batch, now);
    return batch ? 1 : 0;
  });
}

function dueValues(deps: BatchesDeps, shard: number, id: string | null, now: number): unknown[] {
  const { accounts, runs } = deps.batchRotation.served();
  return [shard, new Date(now), accounts, runs, ...excludedValues(deps, id), id];
}

/**
 * Accounts and numbers to leave out. An account has one run at a time. A live batch runs only in the process
 * that owns the bind, while its window has free slots. A batch named by `id` ignores the accounts.
 */
function excludedValues(deps: BatchesDeps, id: string | null = null): unknown[] {
  const busy = id === null ? deps.batchRotation.busy() : [];
  return [busy, ...valuesOf(deps.carriers.deferredNumbers())];
}
