import assert from "node:assert/strict";
import { test } from "node:test";
import type { BatchCounts, BatchResults } from "@longwave/sdk";
import { partsOf } from "./counts.ts";

const counts = { total: 12, queued: 0, paused: 0, sent: 9, failed: 2, skipped: 1, canceled: 0 };

function valuesOf(results?: Partial<BatchResults>): Record<string, number> {
  const parts = partsOf(counts as BatchCounts, results as BatchResults | undefined);
  return Object.fromEntries(
    parts.filter(({ value }) => value > 0).map((each) => [each.name, each.value]),
  );
}

test("receipts divide the sent recipients of the bar, which still adds up to all", () => {
  assert.deepEqual(valuesOf(), { Sent: 9, Failed: 2, Skipped: 1 });
  const failures = [
    { code: "unreachable", title: "", count: 4 },
    { code: "insufficient_credits", title: "", count: 2 },
  ] as BatchResults["failures"];
  const divided = valuesOf({ delivered: 4, failures });
  assert.deepEqual(divided, { Delivered: 4, Sent: 1, Failed: 6, Skipped: 1 });
  assert.equal(
    Object.values(divided).reduce((sum, value) => sum + value, 0),
    counts.total,
  );
});
