import type { Config } from "../../core/config/config.ts";
import { statement } from "../../core/db/driver/statement.ts";
import type { Log } from "../../core/platform/log.ts";
import { RESTORE_GUARD_PATH, refuseWhileGuarded } from "../../surfaces/restore-guard/index.ts";
import { assemble } from "../assemble.ts";
import type { Deps } from "../deps.ts";
import { serve } from "../serve.ts";
import type { DataFolder } from "./data-folder.ts";
import type { RunningPostgres } from "./postgres.ts";

const LOOK_MS = 500;

const isReleased = statement(
  "is_hold_released",
  "select held_since is null as is_released from database_identity",
);

/**
 * Serves a restored installation until its operator has given the word: reads and the release are
 * answered, no carrier is bound to, nothing that is due is done, and everything else is to come again.
 */
export async function waitForRelease(
  options: {
    readonly config: Config;
    readonly log: Log;
    readonly say: (line: string) => void;
    readonly stopping: AbortSignal;
  },
  postgres: RunningPostgres,
  folder: DataFolder,
  reason: string,
): Promise<void> {
  const { config, log, say, stopping } = options;
  const { connection, owner } = postgres;
  const { deps, close } = await assemble({
    config,
    connection,
    owner,
    rootKey: folder.rootKey,
    log,
    doesDueWork: false,
    withoutCarriers: true,
  });
  const { host, port } = config;
  const { operatorToken } = folder;
  const server = config.roles.includes("api")
    ? await serve(deps, { host, port, operatorToken, refuse: refuseWhileGuarded })
    : null;
  try {
    say(`On hold: ${reason} Nothing is sent until the operator releases it.`);
    if (server !== null) {
      const where = `${server.url}${RESTORE_GUARD_PATH}`;
      say(
        `What would be sent: GET ${where} and ${where}/texts. The release: POST ${where}/release.`,
      );
    }
    while (!stopping.aborted && !(await readReleased(deps))) {
      await deps.clock.sleep(LOOK_MS, stopping);
    }
    if (!stopping.aborted) say("Released.");
  } finally {
    await server?.close();
    await close();
  }
}

/** A database that is away for a while has not released anything. */
async function readReleased(deps: Deps): Promise<boolean> {
  const rows = await deps.db
    .query<{ is_released: boolean }>(isReleased, [])
    .catch(() => [] as { is_released: boolean }[]);
  return rows[0]?.is_released === true;
}
