import assert from "node:assert/strict";
import { test } from "node:test";
import type { AutomationRun } from "@longwave/sdk";
import { countRuns } from "./run-counts.ts";

function run(version: number, status: AutomationRun["status"], ...steps: string[]): AutomationRun {
  return { version, status, steps: steps.map((step) => ({ step })) } as unknown as AutomationRun;
}

test("a run counts once at each step it passed, and at its present step", () => {
  const counts = countRuns(
    [
      run(2, "running", "0", "1", "1"),
      run(2, "completed", "0", "1", "2"),
      run(2, "failed", "0"),
      run(1, "running", "0"),
    ],
    2,
  );
  assert.deepEqual(counts.get("0"), { passed: 2, here: 0, failed: 1 });
  assert.deepEqual(counts.get("1"), { passed: 1, here: 1, failed: 0 });
  assert.deepEqual(counts.get("2"), { passed: 1, here: 0, failed: 0 });
});
