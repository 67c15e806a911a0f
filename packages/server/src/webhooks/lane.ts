import { earliestDue } from "../queue/due-shards.ts";
import type { Lane } from "../queue/lane.ts";
import type { WebhooksDeps } from "./deps.ts";
import { backlogsDue, openJobsDue, openJobsWaiting } from "./job-sql.ts";
import { WEBHOOK_LANE } from "./lane-name.ts";

/**
 * Delivers webhooks. A chunk of this lane is claimed and begun, not waited for: an endpoint that
 * hangs holds up nobody. Whoever moves the test clock still waits, because a job counts as due
 * until its attempt is written down.
 */
export const webhookLane: Lane<WebhooksDeps> = {
  name: WEBHOOK_LANE,
  runDue: (deps, worker) => deps.webhookSender.claimDue(worker),
  async nextDueAt(deps) {
    const [open, backlog] = await Promise.all([
      earliestDue(deps, openJobsDue),
      earliestDue(deps, backlogsDue),
    ]);
    if (open === null || backlog === null) return open ?? backlog;
    return Math.min(open, backlog);
  },
  // A backlog says that an endpoint is slow, not that we are.
  waitingSince: (deps) => earliestDue(deps, openJobsWaiting),
};
