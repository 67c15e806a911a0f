import { type AccountCache, createAccountCache } from "../db/account-cache.ts";
import type { Database } from "../db/database.ts";
import type { Notifications } from "../db/notifications.ts";
import type { Clock } from "../platform/clock.ts";
import { compileSteps, type Program } from "./program.ts";
import type { AutomationRow } from "./run-row.ts";
import { readTriggered, readVersion } from "./sql.ts";

const CACHED_EVENTS_MAX = 10_000;
const CACHED_PROGRAMS_MAX = 1_000;

/** Automations as track and the lane of runs look them up. */
export interface AutomationDirectory {
  /** The active automations of an account that an event triggers, as they were a second ago at most. */
  readonly triggered: AccountCache<readonly AutomationRow[]>;
  /** The steps of a version, which never change; null when there is no such version. */
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
      const known = programs.get(key);
      if (known) return known;
      const values = [shard, automation_id, version];
      const [row] = await db.query<Pick<AutomationRow, "steps">>(readVersion, values);
      if (!row) return null;
      const program = compileSteps(row.steps);
      // The oldest goes first: a Map keeps the order of insertion.
      const [oldest] = programs.keys();
      if (programs.size >= CACHED_PROGRAMS_MAX && oldest !== undefined) programs.delete(oldest);
      programs.set(key, program);
      return program;
    },
  };
}
