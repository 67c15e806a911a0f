import { createJobsLane } from "../core/queue/jobs-lane.ts";
import type { Lane } from "../core/queue/lane.ts";
import { createPeriodicLanes } from "../core/queue/periodic.ts";
import { webhookLane } from "../events/webhooks/index.ts";
import { runsLane } from "../messaging/automations/index.ts";
import { batchesLane } from "../messaging/batches/index.ts";
import { inboundLane } from "../messaging/inbound/index.ts";
import { dispatchLane, receiptsLane, simulatedReceiptsLane } from "../messaging/outbound/index.ts";
import { schedulesLane } from "../messaging/recurring-schedules/index.ts";
import { scheduledLane } from "../messaging/scheduled-messages/index.ts";
import { numberChargesLane } from "../network/numbers/index.ts";
import type { Deps } from "./deps.ts";
import { periodicTasks, tasks } from "./tasks.ts";

/** All lanes, one line each. */
export const lanes: readonly Lane<Deps>[] = [
  dispatchLane,
  simulatedReceiptsLane,
  scheduledLane,
  schedulesLane,
  runsLane,
  batchesLane,
  receiptsLane,
  inboundLane,
  webhookLane,
  createJobsLane(tasks),
  numberChargesLane,
  ...createPeriodicLanes(periodicTasks),
];
