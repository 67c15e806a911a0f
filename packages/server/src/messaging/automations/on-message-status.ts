import { NOTIFY } from "../../core/db/driver/database.ts";
import { LANES } from "../../core/queue/lane-names.ts";
import type { MessageRow } from "../messages/index.ts";
import type { MessageFollower } from "../outbound/index.ts";
import { failByMessages, lockRuns } from "./sql.ts";

type Followed = Pick<MessageRow, "id" | "run_id">;

/** Fails a run when one of its messages fails. */
export const runFollower: MessageFollower = {
  by: "run_id",
  lock(shard, rows) {
    const runs = runsOf(rows.filter(hasFailed));
    return runs.length === 0 ? [] : [{ statement: lockRuns, values: [shard, runs] }];
  },
  follow: (shard, rows, now) => failSteps(shard, rows.filter(hasFailed), now),
  followReceipts(shard, receipts, now) {
    const failed = receipts.filter(({ outcome }) => outcome !== "delivered");
    return failSteps(
      shard,
      failed.map(({ row }) => row),
      now,
    );
  },
};

function hasFailed(row: MessageRow): boolean {
  return row.status === "failed";
}

function failSteps(shard: number, rows: readonly Followed[], now: number) {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  return [
    { statement: failByMessages, values: [shard, ids, runsOf(rows), new Date(now)] },
    { statement: NOTIFY, values: ["longwave_work", LANES.runs] },
  ];
}

function runsOf(rows: readonly Followed[]): string[] {
  return [...new Set(rows.flatMap((row) => row.run_id ?? []))];
}
