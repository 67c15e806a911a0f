import { partitionUpkeep, retention } from "../core/queue/housekeeping.ts";
import type { PeriodicTask } from "../core/queue/periodic.ts";
import type { AnyTask } from "../core/queue/task.ts";
import { endPauseTask, sweepPaused } from "../events/webhooks/index.ts";
import { pruneRequestLog } from "../http/request-log/index.ts";
import { watchDeliverability } from "../messaging/deliverability/index.ts";
import { carrierOptOutTask } from "../messaging/outbound/index.ts";
import { secondCodeTask } from "../messaging/verify/index.ts";
import {
  clearDeletedPools,
  cooldownTask,
  linkTask,
  releasedTask,
} from "../network/numbers/index.ts";
import { fileTask, followFilings, followTask } from "../network/registrations/index.ts";
import { mailNotices } from "../surfaces/console/index.ts";
import { failLostImports } from "../surfaces/importer/index.ts";
import { eraseAccounts } from "../surfaces/operator/index.ts";
import { eraseNumbers, redactOldMessages } from "../surfaces/personal-data/index.ts";
import { spendAlertTask } from "../surfaces/spend-limit/index.ts";
import type { Deps } from "./deps.ts";

/** All task kinds, one line each. */
// biome-ignore format: one line each, so that two additions do not collide
export const tasks: readonly AnyTask<Deps>[] = [
  endPauseTask,
  spendAlertTask,
  linkTask,
  releasedTask,
  cooldownTask,
  fileTask,
  followTask,
  carrierOptOutTask,
  secondCodeTask,
];

/** Periodic work of the whole installation, one line each. */
// biome-ignore format: one line each, so that two additions do not collide
export const periodicTasks: readonly PeriodicTask<Deps>[] = [
  partitionUpkeep,
  retention,
  clearDeletedPools,
  sweepPaused,
  watchDeliverability,
  failLostImports,
  pruneRequestLog,
  eraseAccounts,
  eraseNumbers,
  redactOldMessages,
  mailNotices,
  followFilings,
];
