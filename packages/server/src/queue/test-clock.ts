import type { Database } from "../db/database.ts";
import { type Notifications, notify } from "../db/notifications.ts";
import { statement } from "../db/statement.ts";
import type { ShiftedClock } from "../platform/clock.ts";
import type { Log } from "../platform/log.ts";

const readOffset = statement("read_clock_offset", "select clock_offset_ms from installation");
const moveOffset = statement(
  "move_clock_offset",
  `update installation set clock_offset_ms = greatest(clock_offset_ms, $1) returning clock_offset_ms`,
);

/** Makes this process's test clock run with that of all the others, from now on. */
export async function followTestClock(
  clock: ShiftedClock,
  db: Database,
  notifications: Notifications,
  log: Log,
): Promise<void> {
  const read = async () => {
    const [row] = await db.query<{ clock_offset_ms: number }>(readOffset, []);
    clock.shiftTo(row?.clock_offset_ms ?? 0);
  };
  notifications.subscribe("longwave_clock", (payload) => {
    if (payload !== null) return clock.shiftTo(Number(payload));
    read().catch((error: unknown) => log.warn({ err: error }, "the test clock was not read"));
  });
  await read();
}

/** Moves the service's time, here and in every other process. */
export async function moveTestClock(
  db: Database,
  clock: ShiftedClock,
  offsetMs: number,
): Promise<void> {
  const whole = Math.ceil(offsetMs);
  if (whole <= clock.offsetMs()) return;
  await db.tx(async (tx) => {
    await tx.query(moveOffset, [whole]);
    await notify(tx, "longwave_clock", String(whole));
  });
  clock.shiftTo(whole);
}
