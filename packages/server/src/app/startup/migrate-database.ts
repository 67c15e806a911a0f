import { migrate } from "../../core/db/schema/migrate.ts";
import type { Clock } from "../../core/platform/clock.ts";
import type { Log } from "../../core/platform/log.ts";
import { primaryOf } from "./external-postgres-check.ts";
import type { RunningPostgres } from "./postgres.ts";

/**
 * Applies missing migrations and prints one line; each file is a debug log line. Returns the owner's
 * connection to the primary.
 */
export async function migrateDatabase(
  postgres: Pick<RunningPostgres, "owner" | "application">,
  context: {
    readonly clock: Clock;
    readonly log: Log;
    readonly say: (line: string) => void;
  },
): Promise<RunningPostgres["owner"]> {
  const { clock, log, say } = context;
  const owner = await primaryOf(postgres.owner);
  const startedMs = clock.monotonic();
  const files = await migrate(
    owner,
    (line, level) => (level === "debug" ? log.debug(line) : say(line)),
    postgres.application,
  );
  const seconds = ((clock.monotonic() - startedMs) / 1_000).toFixed(1);
  if (files > 0) say(`Migrated: ${files} ${files === 1 ? "file" : "files"} in ${seconds} s.`);
  return owner;
}
