import {
  BATCH_MOVES,
  type Batch,
  Problem,
  type RouteInput,
  type Template,
} from "@longwave/contract";
import type { Principal } from "../../account/accounts/index.ts";
import { notify } from "../../core/db/driver/notifications.ts";
import { createSlices } from "../../core/platform/slices.ts";
import { LANES } from "../../core/queue/lane-names.ts";
import type { Context } from "../../http/api/handler.ts";
import { scheduleTime } from "../scheduled-messages/index.ts";
import type { BatchRow, WaitingRow } from "./batch-row.ts";
import { checkStatus } from "./control.ts";
import { templateOf } from "./create.ts";
import type { BatchesDeps as Deps } from "./deps.ts";
import { batchOf, lockOwnBatch } from "./list.ts";
import { presentBatch } from "./present.ts";
import { editBatch, readWaiting } from "./sql.ts";
import { mergeBody } from "./validate-rows.ts";

type Change = RouteInput<"batches.update">["body"];

/** A batch is editable in the states that it leaves when it is due. */
const EDITABLE = BATCH_MOVES.due.from;
const ROWS_PER_READ = 2_500;

/** Checks the fields that need no database. */
export function readChange(deps: Deps, { body, scheduled_at }: Change) {
  return {
    template: body === undefined ? null : templateOf(body),
    scheduledAt: scheduled_at === undefined ? null : scheduleTime(deps, scheduled_at),
  };
}

/**
 * PATCH /batches/{id}: changes name, body and time of a scheduled batch. The lane takes the lock of
 * the row before it starts the batch, so a batch starts with the body from before or after.
 */
export async function updateBatch(
  context: Context<Principal, Deps>,
  id: string,
  input: Change,
): Promise<{ status: 200; body: Batch }> {
  const { deps, caller } = context;
  const { template, scheduledAt } = readChange(deps, input);
  // The recipients of a scheduled batch do not change, so the transaction need not merge them.
  const current = await batchOf(deps.db, caller, id);
  checkStatus(current, EDITABLE, "changed");
  if (template !== null) await checkMerges(deps, current, template);
  const answer = await context.transact(async (tx) => {
    const before = await lockOwnBatch(tx, caller, id);
    checkStatus(before, EDITABLE, "changed");
    const after: BatchRow = {
      ...before,
      name: input.name === undefined ? before.name : input.name,
      body: input.body ?? before.body,
      ...(scheduledAt === null ? {} : postponed(before, scheduledAt)),
      changed_at: deps.clock.now(),
    };
    await tx.query(editBatch, [
      after.shard,
      after.account_id,
      after.id,
      after.name,
      after.body,
      dateOf(after.scheduled_at),
      dateOf(after.expires_at),
      new Date(after.changed_at),
    ]);
    await notify(tx, "longwave_work", LANES.batches);
    return { status: 200 as const, body: presentBatch(after) };
  });
  deps.wakes.wake(LANES.batches);
  return answer;
}

/** A new time, with the same validity from it. */
function postponed(before: BatchRow, scheduledAt: number) {
  const { scheduled_at: was, expires_at: expiry } = before;
  const expires_at = expiry === null || was === null ? expiry : expiry + scheduledAt - was;
  return { scheduled_at: scheduledAt, due_at: scheduledAt, expires_at };
}

/** Refuses a body that a recipient has no message of. Merges in slices, as validation does. */
async function checkMerges(deps: Deps, batch: BatchRow, template: Template): Promise<void> {
  const slices = createSlices(deps.clock);
  let refused = 0;
  let reason = "";
  let next = 0;
  for (let left = batch.total; left > 0; ) {
    const rows: WaitingRow[] = await deps.db.query<WaitingRow>(readWaiting, [
      ...[batch.shard, batch.id, next],
      ROWS_PER_READ,
    ]);
    for (const { to_number: to, variables } of rows) {
      const merged = mergeBody(template, variables ?? {});
      if (typeof merged !== "string") {
        refused += 1;
        reason ||= `${to}: ${merged.detail}`;
      }
      if (slices.isOver()) await slices.next();
    }
    const last = rows.at(-1);
    if (last === undefined) break;
    left -= rows.length;
    next = last.index + 1;
  }
  if (refused === 0) return;
  throw new Problem(
    "invalid_request",
    `body does not fit ${refused} of ${batch.total} recipients. The first is ${reason} Give a fallback such as {{name|there}}, or make a new batch.`,
    { param: "body" },
  );
}

function dateOf(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}
