import type { Kit } from "./kit.ts";

/** Every simulated receipt that waits for its time has been due for a minute. */
export async function makeReceiptsDue(kit: Kit): Promise<void> {
  // A moment and not an interval: Citus takes none from a row's own time in an update.
  const aMinuteAgo = new Date(kit.deps.clock.now() - 60_000);
  await kit.rows("update due_receipts set due_at = $1::timestamptz", [aMinuteAgo]);
}
