import assert from "node:assert/strict";
import { test } from "node:test";
import { startKit } from "../../testing/kit.ts";
import type { Statement } from "../db/statement.ts";
import { recordDelivered } from "./attempt-writer.ts";
import { claimBacklogJobs, claimOpenJobs } from "./job-sql.ts";

const ID = "00000000-0000-7000-8000-000000000000";
const LEASE = [ID, 1];

test("plans made on an empty queue walk its indexes when it is long", async (t) => {
  const kit = await startKit(t, { LONGWAVE_ROLES: "api" });
  await kit.rows("analyze webhook_jobs");
  const planOf = async ({ name, text }: Statement, values: readonly unknown[]) => {
    const explain = {
      name: `explain_${name}`,
      text: `explain (costs off) ${text}`,
      profile: "queues" as const,
    };
    const rows = await kit.deps.db.query<Record<string, string>>(explain, values);
    return rows.map((row) => row["QUERY PLAN"]).join("\n");
  };
  const now = new Date();
  const plans = [
    await planOf(claimOpenJobs, [0, now, ...LEASE, 500, [], [], 100, []]),
    await planOf(claimBacklogJobs, [0, now, ...LEASE, [], []]),
    await planOf(recordDelivered, [0, `{${ID}}`, `{${ID}}`, ...Array(11).fill("{}")]),
  ];
  for (const plan of plans) {
    const scans = plan.match(/.*Scan.* webhook_jobs( .*)?\n.*/g) ?? [];
    assert.ok(scans.length > 0, plan);
    for (const scan of scans) {
      // By the jobs that are meant, or along the queue in its order. One column alone is everybody's.
      assert.match(scan, /Index Scan using .*\n.*Index Cond: \(\(shard = .*(ANY|due_at <=)/, plan);
    }
    assert.doesNotMatch(plan, /Bitmap/, plan);
  }
});
