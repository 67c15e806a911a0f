import { QUIET_LAW_DEFAULT, type QuietLaw } from "@longwave/contract";
import type { Database } from "./db/driver/database.ts";
import type { Notifications } from "./db/driver/notifications.ts";
import { statement } from "./db/driver/statement.ts";
import type { Log } from "./platform/log.ts";

/** Payload of `longwave_cache` when the operator set another edition. */
export const QUIET_LAW_CHANGED = "quiet_law";

/** The table of lawful hours in force. */
export interface QuietLaws {
  current(): QuietLaw;
  /** Reads the table again, so that this process applies a change that it has just made. */
  reload(): Promise<void>;
}

const readQuietLaw = statement(
  "read_quiet_law",
  "select edition, hours from quiet_laws order by id desc limit 1",
);

/** Opens the table. The newest edition of the operator replaces the built-in one. */
export async function openQuietLaws(options: {
  readonly db: Database;
  readonly notifications: Notifications;
  readonly log: Log;
}): Promise<QuietLaws> {
  const { db, notifications, log } = options;
  let law = QUIET_LAW_DEFAULT;
  const reload = async () => {
    const [row] = await db.query<QuietLaw>(readQuietLaw, []);
    law = row ?? QUIET_LAW_DEFAULT;
  };
  await reload();
  notifications.subscribe("longwave_cache", (payload) => {
    if (payload !== null && payload !== QUIET_LAW_CHANGED) return;
    reload().catch((error: unknown) => log.warn({ error }, "quiet-law: table not read"));
  });
  return { current: () => law, reload };
}
