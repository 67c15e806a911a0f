import type { Kit } from "./kit.ts";

/** Makes every waiting simulated receipt due since a minute ago. */
export async function makeReceiptsDue(kit: Kit): Promise<void> {
  // A constant, because Citus refuses a row's own time plus an interval in an update.
  const aMinuteAgo = new Date(kit.deps.clock.now() - 60_000);
  await kit.rows("update due_receipts set due_at = $1::timestamptz", [aMinuteAgo]);
}
