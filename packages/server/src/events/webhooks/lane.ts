import { earliestDue, type Lane } from "../../core/queue/lane.ts";
import { LANES } from "../../core/queue/lane-names.ts";
import type { WebhooksDeps } from "./deps.ts";
import { oldestUnclaimed, waitingJobs } from "./job-sql.ts";

/**
 * Delivers webhooks. A chunk of this lane claims jobs and starts their attempts without waiting for them, so that a
 * hanging endpoint blocks no other.
 */
export const webhookLane: Lane<WebhooksDeps> = {
  name: LANES.webhooks,
  runDue: (deps, worker) => deps.webhookSender.claimDue(worker),
  nextDueAt: (deps) => earliestDue(deps, waitingJobs),
  // Counts claimed jobs, too: reading past thousands of leased rows costs more than a needless claim.
  nextFreeAt: (deps) => earliestDue(deps, waitingJobs),
  waitingSince,
};

async function waitingSince({ db, shards }: WebhooksDeps): Promise<number | null> {
  const oldest = async (_: unknown, shard: number) => {
    const [row] = await db.query<{ due_at: number | null }>(oldestUnclaimed, [shard]);
    return row?.due_at ?? null;
  };
  const dues = await Promise.all(Array.from({ length: shards }, oldest));
  const known = dues.filter((time) => time !== null);
  return known.length === 0 ? null : Math.min(...known);
}
