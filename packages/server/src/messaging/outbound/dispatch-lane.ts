import { formatTimestamp } from "@longwave/contract";
import { bisectFailures, isItemFault } from "../../core/db/driver/bisect-failures.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { isUnavailable } from "../../core/db/driver/failures.ts";
import { assert } from "../../core/platform/assert.ts";
import { earliestDue, type Lane, shardsDueNow } from "../../core/queue/lane.ts";
import { LANES } from "../../core/queue/lane-names.ts";
import { isAllNumbers } from "../../network/carriers/index.ts";
import {
  findDueMessages,
  giveUpAnswers,
  lockAccounts,
  lockDueMessages,
  type MessageRow,
  postponeMessages,
  submitAgain,
} from "../messages/index.ts";
import type { OutboundDeps } from "./deps.ts";
import { runSteps } from "./follower.ts";
import { OUTCOME_NEVER_KNOWN, settleIn } from "./settle.ts";
import {
  attemptsDue,
  claimDueAttempts,
  deleteDueAttempts,
  findDueAttempts,
  quarantineAttempts,
} from "./sql.ts";
import { submitAll } from "./submit.ts";
import {
  type DispatchPlan,
  type DueMessage,
  type DueMessages,
  refusal,
  settlementOf,
  triageDue,
} from "./triage-due.ts";
import { txWithSlots, type WindowSlots } from "./window-slots.ts";

/** A chunk takes rows of due attempts up to the message limit, and at least one row. */
const ROWS_PER_CHUNK_MAX = 50;
const MESSAGES_PER_CHUNK_MAX = 500;
/** Retry delay when no bind has a free window slot. */
const NO_SLOT_WAIT_MS = 200;
/**
 * A quarantined message is retried after as long as it has been overdue, within these bounds. It fails
 * after about as long as a message whose carrier stays down.
 */
const QUARANTINE_SECONDS_MIN = 1;
const QUARANTINE_SECONDS_MAX = 3_600;
const FAIL_AFTER_MS = 3 * 3_600_000;
const NOT_SUBMITTED = refusal("carrier_unavailable");

interface DueRow {
  readonly id: string;
  readonly message_ids: readonly string[];
}

/**
 * Processes messages whose next attempt, or whose decision after an unknown outcome, is due.
 *
 * The transaction that commits the submit repeats every check; the lane calls the carrier after the commit.
 */
export const dispatchLane: Lane<OutboundDeps> = {
  name: LANES.dispatch,
  loops: 2,
  nextDueAt: (deps) => earliestDue(deps, attemptsDue),
  async runDue(deps) {
    // Every bind is in another process: that process dispatches all messages.
    if (isAllNumbers(deps.carriers.remoteNumbers())) return 0;
    let done = 0;
    for (const shard of await shardsDueNow(deps, attemptsDue))
      done += await dispatchChunk(deps, shard);
    return done;
  },
};

/** A failing message must not delay those due at the same time. */
async function dispatchChunk(deps: OutboundDeps, shard: number): Promise<number> {
  try {
    return await dispatchTogether(deps, shard);
  } catch (error) {
    if (isUnavailable(error)) throw error;
    deps.log.warn({ err: error }, "dispatch: due messages failed together, bisecting");
    return dispatchApart(deps, shard);
  }
}

async function dispatchTogether(deps: OutboundDeps, shard: number): Promise<number> {
  const { plan, count } = await txWithSlots(deps, async (tx, slots) => {
    const now = deps.clock.now();
    const at = new Date(now);
    const due = limitMessages(
      await tx.query<DueRow>(claimDueAttempts, [shard, at, ROWS_PER_CHUNK_MAX]),
    );
    const ids = due.flatMap((row) => row.message_ids);
    const chunkPlan = await dispatchIn(deps, tx, shard, ids, slots, now);
    const done = due.map((row) => row.id);
    if (done.length > 0) await tx.query(deleteDueAttempts, [shard, at, done]);
    return { plan: chunkPlan, count: due.length };
  });
  await submitPlanned(deps, plan);
  return count;
}

/**
 * Bisects without locking the rows: another process that takes them finds moved messages in another
 * state. A message that fails even alone is quarantined, and retried less and less often.
 */
async function dispatchApart(deps: OutboundDeps, shard: number): Promise<number> {
  const at = new Date(deps.clock.now());
  const found = await deps.db.query<DueRow>(findDueAttempts, [shard, at, ROWS_PER_CHUNK_MAX]);
  const due = limitMessages(found);
  const submits: Promise<void>[] = [];
  for (const { id, message_ids } of due) {
    const left = await dispatchBisecting(deps, shard, message_ids, submits);
    await deps.db.query(quarantineAttempts, [
      shard,
      at,
      id,
      left,
      QUARANTINE_SECONDS_MIN,
      QUARANTINE_SECONDS_MAX,
    ]);
  }
  await Promise.all(submits);
  return due.length;
}

/** Dispatches the messages of one row; returns the ids that stay in quarantine. */
async function dispatchBisecting(
  deps: OutboundDeps,
  shard: number,
  ids: readonly string[],
  submits: Promise<void>[],
): Promise<readonly string[]> {
  let queue = ids;
  const quarantined: string[] = [];
  await bisectFailures(ids.length, {
    isItemFault,
    async process(count, claimed) {
      claimed(count);
      const plan = await txWithSlots(deps, (tx, slots) =>
        dispatchIn(deps, tx, shard, queue.slice(0, count), slots, deps.clock.now()),
      );
      queue = queue.slice(count);
      submits.push(submitPlanned(deps, plan));
    },
    async quarantine(error) {
      const own = queue.slice(0, 1);
      queue = queue.slice(1);
      deps.log.error({ err: error, message_id: own[0] }, "dispatch: due message was quarantined");
      if (!(await failOverdue(deps, shard, own))) quarantined.push(...own);
    },
  });
  return quarantined;
}

/** Stores a message as failed once it has failed for hours; false if even that fails or it is not overdue yet. */
async function failOverdue(
  deps: OutboundDeps,
  shard: number,
  ids: readonly string[],
): Promise<boolean> {
  const due = new Date(deps.clock.now() - FAIL_AFTER_MS);
  try {
    return await deps.db.tx(async (tx) => {
      const late = await tx.query<MessageRow>(findDueMessages, [shard, ids, due]);
      const settlements = late.map((row) =>
        settlementOf(row, row.awaiting_carrier ? OUTCOME_NEVER_KNOWN : NOT_SUBMITTED, row.attempts),
      );
      if (settlements.length > 0) await settleIn(deps, tx, shard, settlements);
      return settlements.length > 0;
    });
  } catch (error) {
    if (isUnavailable(error)) throw error;
    return false;
  }
}

/** Processes messages in one transaction, each as it is once locked. */
async function dispatchIn(
  deps: OutboundDeps,
  tx: Tx,
  shard: number,
  ids: readonly string[],
  slots: WindowSlots,
  now: number,
): Promise<DispatchPlan> {
  const due = await lockDue(deps, tx, shard, ids, now);
  const plan = await triageDue(deps, tx, shard, due, slots, now);
  await writePlan(deps, tx, shard, plan, now);
  return plan;
}

/** Submits the planned messages. Runs after the commit. */
function submitPlanned(deps: OutboundDeps, plan: DispatchPlan): Promise<void> {
  if (plan.withoutSlot.length > 0) {
    deps.wakes.wakeAt(LANES.dispatch, deps.clock.now() + NO_SLOT_WAIT_MS);
  }
  return submitAll(deps, plan.submissions);
}

/** Limits the rows of a chunk by their messages; the rest stays for the next chunk. */
function limitMessages(rows: readonly DueRow[]): DueRow[] {
  let messages = 0;
  return rows.filter((row, index) => {
    messages += row.message_ids.length;
    return index === 0 || messages <= MESSAGES_PER_CHUNK_MAX;
  });
}

/** Locks due messages in the global lock order: followers, accounts, messages. */
async function lockDue(
  deps: OutboundDeps,
  tx: Tx,
  shard: number,
  ids: readonly string[],
  now: number,
): Promise<DueMessages> {
  const at = new Date(now);
  const found =
    ids.length === 0 ? [] : await tx.query<MessageRow>(findDueMessages, [shard, ids, at]);
  if (found.length === 0) return { messages: [], verdicts: new Map() };
  const verdicts = await deps.follower.check(tx, shard, found, now);
  // Opt-outs take the same lock: no message is submitted after an opt-out has committed.
  await tx.query(lockAccounts, [shard, [...new Set(found.map((row) => row.account_id))]]);
  const messages = await tx.query<DueMessage>(lockDueMessages, [
    shard,
    found.map((row) => row.id),
    at,
  ]);
  return { messages, verdicts };
}

async function writePlan(
  deps: OutboundDeps,
  tx: Tx,
  shard: number,
  plan: DispatchPlan,
  now: number,
): Promise<void> {
  if (plan.settlements.length > 0) await settleIn(deps, tx, shard, plan.settlements);
  if (plan.submissions.length > 0) await commitSubmits(deps, tx, shard, plan, now);
  await postpone(tx, shard, plan.suspended, null);
  for (const [endMs, ids] of plan.deferred) await postpone(tx, shard, ids, endMs);
  if (plan.closedAccounts.length > 0)
    await suspendClosed(deps, tx, shard, plan.closedAccounts, now);
  await postpone(tx, shard, plan.withoutSlot, now + NO_SLOT_WAIT_MS);
}

/** Suspends batch messages of a closed account. The batch wakes them once the account may send again. */
async function suspendClosed(
  deps: OutboundDeps,
  tx: Tx,
  shard: number,
  rows: readonly MessageRow[],
  now: number,
): Promise<void> {
  const ids = rows.map((row) => row.id);
  await postpone(tx, shard, ids, null);
  await runSteps(tx, deps.follower.suspend(shard, rows, now));
}

/** Commits the submits: the point of no return. The carriers are called after it. */
async function commitSubmits(
  deps: OutboundDeps,
  tx: Tx,
  shard: number,
  { submissions, unansweredResends }: DispatchPlan,
  now: number,
): Promise<void> {
  const at = new Date(now);
  const rows = submissions.map(({ row }) => row);
  const items = submissions.map(({ row, carrier }) => ({
    id: row.id,
    attempt: row.attempts,
    carrier: carrier.name,
    decided_at: row.next_attempt_at === null ? null : formatTimestamp(row.next_attempt_at),
    is_given_up: unansweredResends.has(row.id),
  }));
  if (unansweredResends.size > 0)
    await tx.query(giveUpAnswers, [shard, [...unansweredResends], at]);
  const ids = rows.map((row) => row.id);
  const submitted = await tx.query(submitAgain, [shard, JSON.stringify(items), at, ids]);
  assert(
    submitted.length === rows.length,
    "a message that awaits its carrier is not submitted again",
  );
  await runSteps(tx, deps.follower.follow(shard, rows, now));
}

async function postpone(
  tx: Tx,
  shard: number,
  ids: readonly string[],
  untilMs: number | null,
): Promise<void> {
  const until = untilMs === null ? null : new Date(untilMs);
  if (ids.length > 0) await tx.query(postponeMessages, [shard, ids, until]);
}
