import { watchDeliverability } from "./deliverability/index.ts";
import type { Deps } from "./deps.ts";
import { failSilentImports } from "./importer/index.ts";
import { clearDeletedPools, linkTask, releasedTask, restedTask } from "./numbers/index.ts";
import { partitionUpkeep, retention } from "./queue/housekeeping.ts";
import type { PeriodicTask } from "./queue/periodic.ts";
import type { AnyTask } from "./queue/task.ts";
import { fileTask } from "./registrations/index.ts";
import { forgetOldRequests } from "./request-log/index.ts";
import { tellSpendTask } from "./spend-limit/index.ts";
import { forgetHeldTask, resumeHeldTask, sweepHeld } from "./webhooks/index.ts";

/** Every kind of background work, one line each. */
// biome-ignore format: one line each, so that two additions do not collide
export const tasks: readonly AnyTask<Deps>[] = [
  resumeHeldTask,
  forgetHeldTask,
  tellSpendTask,
  linkTask,
  releasedTask,
  restedTask,
  fileTask,
];

/** Work of the installation as a whole, one line each. */
// biome-ignore format: one line each, so that two additions do not collide
export const periodicTasks: readonly PeriodicTask<Deps>[] = [
  partitionUpkeep,
  retention,
  clearDeletedPools,
  sweepHeld,
  watchDeliverability,
  failSilentImports,
  forgetOldRequests,
];
