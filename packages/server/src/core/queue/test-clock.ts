import type { Database } from "../db/driver/database.ts";
import { type Notifications, notifyStep } from "../db/driver/notifications.ts";
import { statement } from "../db/driver/statement.ts";
import type { ShiftedClock } from "../platform/clock.ts";
import type { Log } from "../platform/log.ts";

const HEARTBEAT_MS = 2_000;
/** A process without a heartbeat for this long is not waited for. */
const SILENT_SECONDS = 5;
const FOLLOWED_MS_MAX = 3_000;
const FOLLOWED_POLL_MS = 2;

const readOffset = statement("read_clock_offset", "select clock_offset_ms from installation");
const moveOffset = statement(
  "move_clock_offset",
  `update installation set clock_offset_ms = greatest(clock_offset_ms, $1)`,
);
// Losing a step of the test clock in a crash of the database is harmless, and an advance may have thousands.
const commitWithoutWaiting = statement(
  "commit_without_waiting",
  "select set_config('synchronous_commit', 'off', true)",
);
const upsertFollower = statement(
  "upsert_clock_follower",
  `insert into clock_followers (id, offset_ms, seen_at) values ($1, $2, statement_timestamp())
   on conflict (id) do update set offset_ms = excluded.offset_ms, seen_at = excluded.seen_at`,
);
const deleteFollower = statement(
  "delete_clock_follower",
  "delete from clock_followers where id = $1",
);
const findBehind = statement(
  "find_clock_followers_behind",
  `select 1 as behind from clock_followers
    where offset_ms < $1
      and seen_at > statement_timestamp() - interval '${SILENT_SECONDS} seconds' limit 1`,
);

/** Dependencies for following the installation's clock, available before `Deps`. */
interface Following {
  readonly clock: ShiftedClock;
  readonly db: Database;
  readonly notifications: Notifications;
  readonly log: Log;
}

/**
 * Keeps this process's test clock equal to that of all other processes. Each process stores the offset that it has
 * reached, so that `advance` can wait until every process has the new time.
 */
export async function followTestClock(
  { clock, db, notifications, log }: Following,
  id: string,
): Promise<{ stop(): Promise<void> }> {
  const stopped = new AbortController();
  let storing: Promise<void> | null = null;

  /** One write at a time: steps that pass meanwhile share the next write. */
  const storeAll = async () => {
    let storedMs: number;
    do {
      storedMs = clock.offsetMs();
      await db.query(upsertFollower, [id, storedMs]);
    } while (storedMs < clock.offsetMs());
  };
  const store = (): Promise<void> => {
    storing ??= storeAll()
      .catch((error: unknown) => log.warn({ err: error }, "clock: test clock offset not stored"))
      .finally(() => {
        storing = null;
      });
    return storing;
  };
  const read = async () => {
    const [row] = await db.query<{ clock_offset_ms: number }>(readOffset, []);
    clock.shiftTo(row?.clock_offset_ms ?? 0);
    await store();
  };
  const beat = async () => {
    while (!stopped.signal.aborted) {
      // Reading the offset again makes up for a lost NOTIFY.
      await read().catch((error: unknown) =>
        log.warn({ err: error }, "clock: test clock offset not read"),
      );
      await clock.sleep(HEARTBEAT_MS, stopped.signal);
    }
  };

  const unsubscribe = notifications.subscribe("longwave_clock", (payload) => {
    if (payload === null) return void read().catch(() => {});
    clock.shiftTo(Number(payload));
    void store();
  });
  await read();
  const beating = beat();
  return {
    async stop() {
      unsubscribe();
      stopped.abort();
      await beating;
      await storing;
      await db.query(deleteFollower, [id]).catch(() => {});
    },
  };
}

/** Moves the service's time, here and in every other process; false when it is there already. */
export async function moveTestClock(
  db: Database,
  clock: ShiftedClock,
  offsetMs: number,
): Promise<boolean> {
  const whole = Math.ceil(offsetMs);
  if (whole <= clock.offsetMs()) return false;
  await db.execPipelined([
    { statement: commitWithoutWaiting, values: [] },
    { statement: moveOffset, values: [whole] },
    notifyStep("longwave_clock", String(whole)),
  ]);
  clock.shiftTo(whole);
  return true;
}

/** Resolves when every live process has this process's time, or after `FOLLOWED_MS_MAX`. */
export async function untilFollowed(db: Database, clock: ShiftedClock): Promise<void> {
  const startedAt = clock.monotonic();
  while (clock.monotonic() - startedAt < FOLLOWED_MS_MAX) {
    const behind = await db.query(findBehind, [clock.offsetMs()]);
    if (behind.length === 0) return;
    await clock.sleep(FOLLOWED_POLL_MS);
  }
}
