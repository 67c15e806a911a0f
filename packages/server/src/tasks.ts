import { clearDeletedPools } from "./numbers/index.ts";
import type { PeriodicTask } from "./queue/periodic.ts";
import type { AnyTask } from "./queue/task.ts";

/** Every kind of background work, one line each. */
export const tasks: readonly AnyTask[] = [];

/** Housekeeping of the installation, one line each. */
export const periodicTasks: readonly PeriodicTask[] = [clearDeletedPools];
