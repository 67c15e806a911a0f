import type { MessageFollower, MessageRow } from "../handover/index.ts";
import { followTexts, lockSchedules } from "./sql.ts";

type Followed = Pick<MessageRow, "id" | "schedule_id">;

/** Occurrences of recurring schedules follow their texts to the end. */
export const scheduleFollower: MessageFollower = {
  by: "schedule_id",
  lock: lockSteps,
  lockReceived: (shard, receipts) =>
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
  received: (shard, receipts, now) =>
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
  return [{ statement: followTexts, values: [shard, ids, schedulesOf(rows), new Date(now)] }];
}

function schedulesOf(rows: readonly Followed[]): string[] {
  return [...new Set(rows.flatMap((row) => row.schedule_id ?? []))];
}
