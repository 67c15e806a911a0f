import assert from "node:assert/strict";
import { test } from "node:test";
import { usageCsv } from "./usage-csv.ts";

test("a day is a line with counts and costs by kind", () => {
  const none = { count: 0, cost_usd: 0 };
  const data = [
    {
      ...{ date: "2026-11-16", inbound: none, verifications: { count: 1, cost_usd: 0.03 } },
      outbound: { count: 1_200, cost_usd: 10.8 },
    },
  ];
  assert.equal(
    usageCsv({ data }),
    "date,sent,sent_cost_usd,received,received_cost_usd,verifications,verifications_cost_usd\r\n2026-11-16,1200,10.8,0,0,1,0.03\r\n",
  );
});
