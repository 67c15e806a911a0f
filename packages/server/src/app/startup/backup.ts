import { resolve } from "node:path";
import { formatTimestamp } from "@longwave/contract";
import type { Config } from "../../core/config/config.ts";
import { backUp, restoreBackup } from "../../core/db/embedded/index.ts";
import { StartFailure } from "../../core/platform/assert.ts";
import { BACKUP_MARK } from "../../surfaces/restore-guard/last-seen-file.ts";

/** Archives the data folder of an embedded database, running or not. */
export async function backupCommand(config: Config, file: string, nowMs: number): Promise<string> {
  refuseOutside(config);
  const mark = { made_at: formatTimestamp(nowMs) };
  const bytes = await backUp({
    dataDir: config.dataFolder,
    file,
    mark: { name: BACKUP_MARK, text: `${JSON.stringify(mark)}\n` },
  });
  return `Packed into ${resolve(file)} (${bytes} bytes).`;
}

/** Creates a data folder from a backup. It starts behind the restore guard. */
export async function restoreCommand(config: Config, file: string): Promise<string> {
  refuseOutside(config);
  await restoreBackup(file, config.dataFolder);
  return `Restored into ${config.dataFolder}. It starts on hold: nothing is sent until you have seen what would be, and released it.`;
}

function refuseOutside({ databaseUrl }: Config): void {
  if (databaseUrl === null) return;
  throw new StartFailure(
    "DATABASE_URL names a PostgreSQL of your own: back it up and restore it with its own tools (pg_dump, or WAL archiving), and keep the file secret-key of the data folder with the backup. A restored one starts on hold.",
  );
}
