import type { SystemClock } from "../platform/clock.ts";
import type { Log } from "../platform/log.ts";
import type { Queryable } from "./database.ts";
import { statement } from "./statement.ts";

const MEASURE_EVERY_MS = 5_000;
/** Machines that keep their time by the network differ by less. */
const SKEW_TOLERATED_MS = 500;

const readTime = statement("read_database_time", "select statement_timestamp() as now");

interface Following {
  readonly clock: SystemClock;
  readonly db: Queryable;
  readonly log: Log;
}

/**
 * Keeps the service's time with the database's. All processes have one database, so they agree
 * about what is due and what has expired, even on a machine whose own clock is wrong.
 */
export async function followDatabaseTime(following: Following): Promise<{ stop(): Promise<void> }> {
  const { clock, log } = following;
  const stopped = new AbortController();
  const follow = async () => {
    for (;;) {
      await clock.sleep(MEASURE_EVERY_MS, stopped.signal);
      if (stopped.signal.aborted) return;
      await correctOnce(following).catch((error: unknown) => {
        log.warn({ err: error }, "the database's time could not be read");
      });
    }
  };
  await correctOnce(following);
  const followed = follow();
  return {
    async stop() {
      stopped.abort();
      await followed;
    },
  };
}

/** Compares the clocks once, and takes over the database's when they differ. */
export async function correctOnce({ clock, db, log }: Following): Promise<void> {
  const askedAt = clock.monotonic();
  const [row] = await db.query<{ now: number }>(readTime, []);
  const roundTripMs = clock.monotonic() - askedAt;
  if (!row) return;
  const databaseNow = row.now + roundTripMs / 2;
  const skewMs = Math.round(databaseNow - clock.now());
  // The answer was given some time between question and arrival.
  if (Math.abs(skewMs) <= SKEW_TOLERATED_MS + roundTripMs / 2) return;
  clock.correctTo(databaseNow);
  log.warn(
    { skew_ms: skewMs },
    "this machine's clock differs from the database's, whose time is used; check both machines' time service",
  );
}
