import type { Base } from "../../core/base.ts";
import type { IdentityGuard, LastSeen } from "../../core/db/driver/database-identity.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { writeLastSeenFile } from "./last-seen-file.ts";

const BEAT_MS = 2_000;
/** So long after a beat of any process another is none: of several processes one beats for all. */
const BEATS_APART_MS = 1_500;

/** $3 is the ms since the last one. The timeline is that of the primary that answers. */
const beatStatement = statement(
  "beat",
  `update database_identity
      set heartbeat_at = greatest(heartbeat_at + interval '1 millisecond', now()), timeline = $2
    where home = $1 and held_since is null and heartbeat_at <= now() - $3 * interval '1 millisecond'`,
);

const readBeat = statement(
  "read_beat",
  "select floor(extract(epoch from heartbeat_at) * 1000)::float8 as beaten_at_ms, held_reason from database_identity",
);

type BeatDeps = Pick<Base, "db" | "clock" | "log">;

interface HeartbeatOptions {
  /** Where what was seen is kept; null in a process that is one of several of the same folder. */
  readonly folder: string | null;
  readonly onHeld: (sentence: string) => void;
}

/**
 * Tells the database, and the data folder, that the installation lives, so that either shows when the
 * other went back in time. A hold that begins while the process runs ends it: it starts again, on hold.
 */
export function startHeartbeat(
  deps: BeatDeps,
  guard: IdentityGuard,
  options: HeartbeatOptions,
): { stop(): Promise<void> } {
  const stopped = new AbortController();
  let isHeard = false;
  const beat = async (apartMs: number, onHeld = options.onHeld) => {
    try {
      await beatOnce(deps, guard, { ...options, onHeld }, apartMs);
      isHeard = true;
    } catch (error) {
      isHeard = false;
      deps.log.warn({ err: error }, "the database could not be told that the process lives");
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
      // The last thing of all: a database that is brought back to any moment before it is older than the folder.
      if (isHeard && options.folder !== null) await beat(0, () => {});
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
  const [row] = await db.query<{ beaten_at_ms: number; held_reason: string | null }>(readBeat, []);
  if (!row) return;
  if (row.held_reason !== null) {
    options.onHeld(`The installation was put on hold: ${row.held_reason}`);
    return;
  }
  const seen: LastSeen = { ...known, lastHeartbeatAtMs: row.beaten_at_ms };
  guard.learn(seen);
  if (options.folder !== null) await writeLastSeenFile(options.folder, seen);
}
