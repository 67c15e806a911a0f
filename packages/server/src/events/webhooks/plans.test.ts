import assert from "node:assert/strict";
import { test } from "node:test";
import { startKit } from "../../../testing/kit.ts";
import type { Statement } from "../../core/db/driver/statement.ts";
import { claimJobs } from "./job-sql.ts";
import { recordDelivered } from "./record-attempts.ts";

const ID = "00000000-0000-7000-8000-000000000000";
const LEASE = [ID, 1];

test("plans made on an empty queue use its indexes when it is long", async (t) => {
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
    await planOf(claimJobs, [0, now, ...LEASE, 500, [], [], 15, ID]),
    await planOf(recordDelivered, [0, `{${ID}}`, `{${ID}}`, ...Array(12).fill("{}")]),
  ];
  for (const plan of plans) {
    const scans = plan.match(/.*Scan.* webhook_jobs( .*)?\n.*/g) ?? [];
    assert.ok(scans.length > 0, plan);
    for (const scan of scans) {
      // By primary key, or along a queue in its order. One key column alone is for the first hop.
      assert.match(
        scan,
        /using webhook_jobs_(pkey .*\n.*\(shard = .* = ANY|ready .*\n.*\(shard = |delayed .*\n.*due_at <=)/,
        plan,
      );
    }
    assert.doesNotMatch(plan, /Bitmap/, plan);
  }
});
