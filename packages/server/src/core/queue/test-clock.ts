import type { Database } from "../db/driver/database.ts";
import { type Notifications, notifyStep } from "../db/driver/notifications.ts";
import { statement } from "../db/driver/statement.ts";
import type { ShiftedClock } from "../platform/clock.ts";
import type { Log } from "../platform/log.ts";

const HEARTBEAT_MS = 2_000;
/** A process that says nothing for this long is not waited for. */
const SILENT_SECONDS = 5;
const FOLLOWED_MS_MAX = 3_000;
const FOLLOWED_POLL_MS = 2;

const readOffset = statement("read_clock_offset", "select clock_offset_ms from installation");
const moveOffset = statement(
  "move_clock_offset",
  `update installation set clock_offset_ms = greatest(clock_offset_ms, $1)`,
);
// A step of the test clock that a crash of the database undoes harms nobody, and an advance may
// have thousands.
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

/** What following the clock of the installation needs, before there are `Deps`. */
interface Following {
  readonly clock: ShiftedClock;
  readonly db: Database;
  readonly notifications: Notifications;
  readonly log: Log;
}

/**
 * Makes this process's test clock run with that of all the others. Each process says how far it
 * has followed, so that `advance` answers when the new time holds everywhere.
 */
export async function followTestClock(
  { clock, db, notifications, log }: Following,
  id: string,
): Promise<{ stop(): Promise<void> }> {
  const stopped = new AbortController();
  let saying: Promise<void> | null = null;

  /** One word at a time: steps that pass meanwhile are said together by the next. */
  const sayAll = async () => {
    let saidMs: number;
    do {
      saidMs = clock.offsetMs();
      await db.query(upsertFollower, [id, saidMs]);
    } while (saidMs < clock.offsetMs());
  };
  const say = (): Promise<void> => {
    saying ??= sayAll()
      .catch((error: unknown) => log.warn({ err: error }, "the test clock's word failed"))
      .finally(() => {
        saying = null;
      });
    return saying;
  };
  const read = async () => {
    const [row] = await db.query<{ clock_offset_ms: number }>(readOffset, []);
    clock.shiftTo(row?.clock_offset_ms ?? 0);
    await say();
  };
  const beat = async () => {
    while (!stopped.signal.aborted) {
      // Reading the offset again covers a lost NOTIFY.
      await read().catch((error: unknown) =>
        log.warn({ err: error }, "the test clock was not read"),
      );
      await clock.sleep(HEARTBEAT_MS, stopped.signal);
    }
  };

  const unsubscribe = notifications.subscribe("longwave_clock", (payload) => {
    if (payload === null) return void read().catch(() => {});
    clock.shiftTo(Number(payload));
    void say();
  });
  await read();
  const beating = beat();
  return {
    async stop() {
      unsubscribe();
      stopped.abort();
      await beating;
      await saying;
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

/** Resolves when every process that lives has the time of this one, or none will say so. */
export async function untilFollowed(db: Database, clock: ShiftedClock): Promise<void> {
  const startedAt = clock.monotonic();
  while (clock.monotonic() - startedAt < FOLLOWED_MS_MAX) {
    const behind = await db.query(findBehind, [clock.offsetMs()]);
    if (behind.length === 0) return;
    await clock.sleep(FOLLOWED_POLL_MS);
  }
}
