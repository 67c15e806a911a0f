import assert from "node:assert/strict";
import { test } from "node:test";

// biome-ignore lint/style/noProcessEnv: a zone other than UTC, also where the machine is in UTC
process.env["TZ"] = "America/New_York";
const { dayBuckets } = await import("./days.ts");

test("a bar is a calendar day of the reader, and days to come have none", () => {
  const none = { count: 0, cost_usd: 0 };
  const row = (date: string, count: number) => ({
    ...{ date, inbound: none, verifications: none },
    outbound: { count, cost_usd: 0 },
  });
  const buckets = dayBuckets(
    {
      created_after: "2026-03-07T05:00:00.000Z",
      created_before: "2026-04-01T04:00:00.000Z",
      data: [row("2026-03-07", 2), row("2026-03-09", 1)],
    },
    Date.parse("2026-03-09T12:00:00Z"),
  );
  assert.deepEqual(
    buckets.map(({ label, values: [sent], from, until }) => [label, sent, from, until]),
    [
      ["Mar 7", 2, "2026-03-07T05:00:00.000Z", "2026-03-08T05:00:00.000Z"],
      ["Mar 8", 0, "2026-03-08T05:00:00.000Z", "2026-03-09T04:00:00.000Z"],
      ["Mar 9", 1, "2026-03-09T04:00:00.000Z", null],
    ],
  );
});
