import type { Base } from "../../core/base.ts";
import type { IdentityGuard, LastSeen } from "../../core/db/driver/database-identity.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { writeLastSeenFile } from "./last-seen-file.ts";

const BEAT_MS = 2_000;
/** Minimum age of the last heartbeat before another process writes one: one process writes for all. */
const BEATS_APART_MS = 1_500;

/** $3: minimum ms since the last heartbeat. Stores the timeline of the primary that answers. */
const beatStatement = statement(
  "beat",
  `update database_identity
      set heartbeat_at = greatest(heartbeat_at + interval '1 millisecond', now()), timeline = $2
    where home = $1 and held_since is null and heartbeat_at <= now() - $3 * interval '1 millisecond'`,
);

const readBeat = statement(
  "read_beat",
  "select floor(extract(epoch from heartbeat_at) * 1000)::float8 as heartbeat_at_ms, held_reason from database_identity",
);

type BeatDeps = Pick<Base, "db" | "clock" | "log">;

interface HeartbeatOptions {
  /** Data folder that stores the last heartbeat; null in all processes but one. */
  readonly folder: string | null;
  readonly onHeld: (sentence: string) => void;
}

/**
 * Writes heartbeats to the database and the data folder, so that each shows when the other went back in time.
 * A restore guard set meanwhile ends the process, which restarts behind the guard.
 */
export function startHeartbeat(
  deps: BeatDeps,
  guard: IdentityGuard,
  options: HeartbeatOptions,
): { stop(): Promise<void> } {
  const stopped = new AbortController();
  let isWritten = false;
  const beat = async (apartMs: number, onHeld = options.onHeld) => {
    try {
      await beatOnce(deps, guard, { ...options, onHeld }, apartMs);
      isWritten = true;
    } catch (error) {
      isWritten = false;
      deps.log.warn({ err: error }, "heartbeat: write failed");
    }
  };
  const beating = (async () => {
    while (!stopped.signal.aborted) {
      await beat(BEATS_APART_MS);
      await deps.clock.sleep(BEAT_MS, stopped.signal);
    }
  })();
  return {
    async stop() {
      stopped.abort();
      await beating;
      // Written last: any earlier state of the database is older than the folder's record.
      if (isWritten && options.folder !== null) await beat(0, () => {});
    },
  };
}

async function beatOnce(
  { db }: BeatDeps,
  guard: IdentityGuard,
  options: HeartbeatOptions,
  apartMs: number,
): Promise<void> {
  const known = guard.seen();
  if (known === null) return;
  await db.query(beatStatement, [known.home, known.timeline, apartMs]);
  const [row] = await db.query<{ heartbeat_at_ms: number; held_reason: string | null }>(
    readBeat,
    [],
  );
  if (!row) return;
  if (row.held_reason !== null) {
    options.onHeld(`The installation was put on hold: ${row.held_reason}`);
    return;
  }
  const seen: LastSeen = { ...known, lastHeartbeatAtMs: row.heartbeat_at_ms };
  guard.learn(seen);
  if (options.folder !== null) await writeLastSeenFile(options.folder, seen);
}
