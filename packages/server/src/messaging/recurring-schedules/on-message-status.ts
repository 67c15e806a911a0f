import type { MessageRow } from "../messages/index.ts";
import type { MessageFollower } from "../outbound/index.ts";
import { followMessages, lockSchedules } from "./sql.ts";

type Followed = Pick<MessageRow, "id" | "schedule_id">;

/** Updates occurrences of recurring schedules with the final status of their messages. */
export const scheduleFollower: MessageFollower = {
  by: "schedule_id",
  lock: lockSteps,
  lockForReceipts: (shard, receipts) =>
    lockSteps(
      shard,
      receipts.map(({ row }) => row),
    ),
  follow: (shard, rows, now) =>
    followSteps(
      shard,
      rows.filter((row) => row.status === "failed"),
      now,
    ),
  followReceipts: (shard, receipts, now) =>
    followSteps(
      shard,
      receipts.map(({ row }) => row),
      now,
    ),
};

function lockSteps(shard: number, rows: readonly Followed[]) {
  return [{ statement: lockSchedules, values: [shard, schedulesOf(rows)] }];
}

function followSteps(shard: number, rows: readonly Followed[], now: number) {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  return [{ statement: followMessages, values: [shard, ids, schedulesOf(rows), new Date(now)] }];
}

function schedulesOf(rows: readonly Followed[]): string[] {
  return [...new Set(rows.flatMap((row) => row.schedule_id ?? []))];
}
