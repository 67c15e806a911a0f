import { BATCH_MOVES, type BatchCounts } from "@longwave/contract";
import { maySend } from "../../account/accounts/index.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { notify } from "../../core/db/driver/notifications.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { LANES } from "../../core/queue/lane-names.ts";
import { append } from "../../events/log/index.ts";
import { wakeMessages } from "../messages/index.ts";
import type { OutboundDeps } from "../outbound/index.ts";
import { accountOf, type BatchRow, type DueBatch } from "./batch-row.ts";
import { change, move } from "./move.ts";
import { presentCounts } from "./present.ts";
import { readRetrying } from "./sql.ts";

const WAKES_PER_RUN_MAX = 1_000;

/** Whether a due batch has a chunk to send; otherwise `advanceBatch` is due. */
export function isSendable(batch: DueBatch): boolean {
  if (batch.status !== "sending" || batch.wake_index !== null || batch.waiting === 0) return false;
  return maySend(accountOf(batch), batch.mode);
}

/** Advances a due batch that has no chunk to send. The caller has locked and reread its row. */
export async function advanceBatch(
  deps: OutboundDeps,
  tx: Tx,
  batch: DueBatch,
  now: number,
): Promise<void> {
  // Another process has moved it since it was read.
  if (isSendable(batch)) return;
  if (batch.wake_index !== null) return wakeMessagesFrom(tx, batch, batch.wake_index, now);
  if (batch.status !== "scheduled" && batch.status !== "sending") {
    await change(tx, batch, { due_at: null });
  } else if (!maySend(accountOf(batch), batch.mode)) {
    await change(tx, batch, { due_at: batch.due_at, suspended: true });
  } else if (batch.status === "scheduled") {
    await move(
      tx,
      batch,
      "due",
      { due_at: batch.due_at, started_at: batch.started_at ?? now },
      now,
    );
  } else if (batch.handed + batch.retrying > 0) {
    // The settlement of the last message makes it due again.
    await change(tx, batch, { due_at: null });
  } else await complete(deps, tx, batch, now);
}

/** Makes messages due that a carrier refused temporarily: `WAKES_PER_RUN_MAX` at a time. */
async function wakeMessagesFrom(
  tx: Tx,
  batch: BatchRow,
  fromIndex: number,
  now: number,
): Promise<void> {
  const rows = await tx.query<{ index: number; message_id: string }>(readRetrying, [
    batch.shard,
    batch.id,
    fromIndex,
    WAKES_PER_RUN_MAX,
  ]);
  const ids = rows.map((row) => row.message_id);
  await wakeMessages(tx, batch.shard, ids, now);
  await notify(tx, "longwave_work", LANES.dispatch);
  const last = rows.at(-1);
  const isDone = rows.length < WAKES_PER_RUN_MAX || last === undefined;
  await change(tx, batch, { due_at: now, wake_index: isDone ? null : last.index + 1 });
}

async function complete(deps: OutboundDeps, tx: Tx, batch: BatchRow, now: number): Promise<void> {
  const changes = { due_at: null, retry_running: false, completed_at: now };
  const counts: BatchCounts = presentCounts(await move(tx, batch, "finish", changes, now));
  const customer =
    batch.customer_id === null ? {} : { customer_id: toApiId("customer", batch.customer_id) };
  const data = { batch_id: toApiId("batch", batch.id), counts, ...customer };
  const owner = { shard: batch.shard, accountId: batch.account_id };
  await append(deps, tx, owner, [
    { type: BATCH_MOVES.finish.emits, mode: batch.mode, data, customerId: batch.customer_id },
  ]);
}
