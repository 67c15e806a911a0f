import type { SystemClock } from "../../platform/clock.ts";
import type { Log } from "../../platform/log.ts";
import type { Queryable } from "./database.ts";
import { statement } from "./statement.ts";

const MEASURE_EVERY_MS = 5_000;
/** Tolerated clock skew in ms. NTP keeps machines closer than this. */
const SKEW_TOLERATED_MS = 500;

const readTime = statement("read_database_time", "select statement_timestamp() as now");

interface Following {
  readonly clock: SystemClock;
  readonly db: Queryable;
  readonly log: Log;
}

/**
 * Keeps the service's clock in step with the database's. Processes share one database, so they agree about due times
 * and expiry even if a machine's clock is wrong.
 */
export async function followDatabaseTime(following: Following): Promise<{ stop(): Promise<void> }> {
  const { clock, log } = following;
  const stopped = new AbortController();
  const follow = async () => {
    for (;;) {
      await clock.sleep(MEASURE_EVERY_MS, stopped.signal);
      if (stopped.signal.aborted) return;
      await correctOnce(following).catch((error: unknown) => {
        log.warn({ err: error }, "clock: could not read the database's time");
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

/**
 * Compares the clocks once; adopts the database's time if they differ by more than the tolerance.
 */
export async function correctOnce({ clock, db, log }: Following): Promise<void> {
  const askedAt = clock.monotonic();
  const [row] = await db.query<{ now: number }>(readTime, []);
  const roundTripMs = clock.monotonic() - askedAt;
  if (!row) return;
  const databaseNow = row.now + roundTripMs / 2;
  const skewMs = Math.round(databaseNow - clock.now());
  // The measurement is uncertain by half the round trip.
  if (Math.abs(skewMs) <= SKEW_TOLERATED_MS + roundTripMs / 2) return;
  clock.correctTo(databaseNow);
  log.warn(
    { skew_ms: skewMs },
    "clock: this machine's clock differs from the database's, using the database's time; check both machines' time service",
  );
}
