import { earliestDue, type Lane } from "../../core/queue/lane.ts";
import { LANES } from "../../core/queue/lane-names.ts";
import type { WebhooksDeps } from "./deps.ts";
import { delayedJobs, oldestUnclaimed, readyJobs } from "./job-sql.ts";

/**
 * Delivers webhooks. A chunk of this lane claims jobs and starts their attempts without waiting for them, so that a
 * hanging endpoint blocks no other.
 */
export const webhookLane: Lane<WebhooksDeps> = {
  name: LANES.webhooks,
  runDue: (deps, worker) => deps.webhookSender.claimDue(worker),
  nextDueAt: (deps) => earliest(deps),
  // Counts claimed jobs, too: reading past thousands of leased rows costs more than a needless claim.
  nextFreeAt: (deps) => earliest(deps),
  waitingSince,
};

async function earliest(deps: WebhooksDeps): Promise<number | null> {
  const dues = await Promise.all([earliestDue(deps, readyJobs), earliestDue(deps, delayedJobs)]);
  return minOf(dues);
}

async function waitingSince({ db, shards }: WebhooksDeps): Promise<number | null> {
  const oldest = async (_: unknown, shard: number) => {
    const [row] = await db.query<{ due_at: number | null }>(oldestUnclaimed, [shard]);
    return row?.due_at ?? null;
  };
  return minOf(await Promise.all(Array.from({ length: shards }, oldest)));
}

function minOf(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.min(...known);
}
