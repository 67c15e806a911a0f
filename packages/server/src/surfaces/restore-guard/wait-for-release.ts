import type { Base } from "../../core/base.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { RESTORE_GUARD_PATH } from "./handlers.ts";

const LOOK_MS = 500;

const isReleased = statement(
  "is_hold_released",
  "select held_since is null as is_released from database_identity",
);

/** Waits until the operator releases a restored installation. `url`: where its API answers; null without one. */
export async function waitForRelease(
  deps: Pick<Base, "db" | "clock">,
  options: {
    readonly reason: string;
    readonly url: string | null;
    readonly say: (line: string) => void;
    readonly stopping: AbortSignal;
  },
): Promise<void> {
  const { reason, url, say, stopping } = options;
  say(`On hold: ${reason} Nothing is sent until the operator releases it.`);
  if (url !== null) {
    const where = `${url}${RESTORE_GUARD_PATH}`;
    say(`What would be sent: GET ${where} and ${where}/texts. The release: POST ${where}/release.`);
  }
  while (!stopping.aborted && !(await readReleased(deps))) {
    await deps.clock.sleep(LOOK_MS, stopping);
  }
  if (!stopping.aborted) say("Released.");
}

/** A database that is away for a while has not released anything. */
async function readReleased(deps: Pick<Base, "db">): Promise<boolean> {
  const rows = await deps.db
    .query<{ is_released: boolean }>(isReleased, [])
    .catch(() => [] as { is_released: boolean }[]);
  return rows[0]?.is_released === true;
}
