import { type AccountCache, createAccountCache } from "../../core/db/driver/account-cache.ts";
import type { Database } from "../../core/db/driver/database.ts";
import type { Notifications } from "../../core/db/driver/notifications.ts";
import type { Clock } from "../../core/platform/clock.ts";
import { compileSteps, type Program } from "./program.ts";
import type { AutomationRow } from "./run-row.ts";
import { readTriggered, readVersion } from "./sql.ts";

const CACHED_EVENTS_MAX = 10_000;
const CACHED_PROGRAMS_MAX = 1_000;

/** Cached automations, for `/track` and the runs lane. */
export interface AutomationDirectory {
  /** Active automations of an account that an event triggers; at most a second old. */
  readonly triggered: AccountCache<readonly AutomationRow[]>;
  /** Compiled steps of a version, which never change; null when there is no such version. */
  programOf(version: VersionRef): Promise<Program | null>;
}

interface VersionRef {
  readonly shard: number;
  readonly automation_id: string;
  readonly version: number;
}

export function createAutomationDirectory(
  db: Database,
  clock: Clock,
  notifications: Notifications,
): AutomationDirectory {
  const programs = new Map<string, Program>();
  return {
    triggered: createAccountCache<readonly AutomationRow[]>({
      clock,
      notifications,
      entriesMax: CACHED_EVENTS_MAX,
      read: (account, event) =>
        db.query<AutomationRow>(readTriggered, [account.shard, account.id, event]),
    }),
    async programOf({ shard, automation_id, version }) {
      const key = `${automation_id} ${version}`;
      const cached = programs.get(key);
      if (cached) return cached;
      const values = [shard, automation_id, version];
      const [row] = await db.query<Pick<AutomationRow, "steps">>(readVersion, values);
      if (!row) return null;
      const program = compileSteps(row.steps);
      // A Map iterates in insertion order: the oldest entry goes first.
      const [oldest] = programs.keys();
      if (programs.size >= CACHED_PROGRAMS_MAX && oldest !== undefined) programs.delete(oldest);
      programs.set(key, program);
      return program;
    },
  };
}
