import { runsLane } from "./automations/index.ts";
import { batchesLane } from "./batches/index.ts";
import type { Deps } from "./deps.ts";
import { dispatchLane, receiptsLane, simulatedReceiptsLane } from "./handover/index.ts";
import { inboundLane } from "./inbound/index.ts";
import { numberChargesLane } from "./numbers/index.ts";
import { createJobsLane } from "./queue/jobs-lane.ts";
import type { Lane } from "./queue/lane.ts";
import { createPeriodicLanes } from "./queue/periodic.ts";
import { scheduledLane } from "./scheduled/index.ts";
import { schedulesLane } from "./schedules/index.ts";
import { periodicTasks, tasks } from "./tasks.ts";
import { webhookLane } from "./webhooks/index.ts";

/** Every source of due work, one line each. */
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
