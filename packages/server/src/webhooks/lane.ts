import { earliestDue, type Lane } from "../queue/lane.ts";
import { LANES } from "../queue/lane-names.ts";
import type { WebhooksDeps } from "./deps.ts";
import { backlogsDue, openJobsDue, openJobsWaiting } from "./job-sql.ts";

/**
 * Delivers webhooks. A chunk of this lane is claimed and begun, not waited for: an endpoint that
 * hangs holds up nobody. Whoever moves the test clock still waits, because a job counts as due
 * until its attempt is written down.
 */
export const webhookLane: Lane<WebhooksDeps> = {
  name: LANES.webhooks,
  runDue: (deps, worker) => deps.webhookSender.claimDue(worker),
  nextDueAt: (deps) => earliest(deps),
  // Thousands may be in hand at the head of the queue: walking past them costs more than a look.
  nextFreeAt: (deps) => earliest(deps),
  // A backlog says that an endpoint is slow, not that we are.
  waitingSince: (deps) => earliestDue(deps, openJobsWaiting),
};

async function earliest(deps: WebhooksDeps): Promise<number | null> {
  const [open, backlog] = await Promise.all([
    earliestDue(deps, openJobsDue),
    earliestDue(deps, backlogsDue),
  ]);
  if (open === null || backlog === null) return open ?? backlog;
  return Math.min(open, backlog);
}
