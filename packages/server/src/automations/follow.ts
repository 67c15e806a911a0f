import { NOTIFY } from "../db/database.ts";
import type { MessageFollower, MessageRow } from "../handover/index.ts";
import { LANES } from "../queue/lane-names.ts";
import { failByTexts, lockRuns } from "./sql.ts";

type Followed = Pick<MessageRow, "id" | "run_id">;

/** A run ends when one of its texts fails. */
export const runFollower: Pick<MessageFollower, "lock" | "follow" | "received"> = {
  lock(shard, rows) {
    const runs = runsOf(rows.filter((row) => row.status === "failed"));
    return runs.length === 0 ? [] : [{ statement: lockRuns, values: [shard, runs] }];
  },
  follow: (shard, rows, now) =>
    failSteps(
      shard,
      rows.filter((row) => row.status === "failed"),
      now,
    ),
  received: (shard, receipts, now) =>
    failSteps(
      shard,
      receipts.filter(({ outcome }) => outcome !== "delivered").map(({ row }) => row),
      now,
    ),
};

function failSteps(shard: number, rows: readonly Followed[], now: number) {
  const runs = runsOf(rows);
  if (runs.length === 0) return [];
  const ids = rows.filter((row) => row.run_id !== null).map((row) => row.id);
  return [
    { statement: failByTexts, values: [shard, ids, runs, new Date(now)] },
    { statement: NOTIFY, values: ["longwave_work", LANES.runs] },
  ];
}

function runsOf(rows: readonly Followed[]): string[] {
  return [...new Set(rows.flatMap((row) => row.run_id ?? []))];
}
