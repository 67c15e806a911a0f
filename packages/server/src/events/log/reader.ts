import type { Mode } from "@longwave/contract";
import type { Database } from "../../core/db/driver/database.ts";
import { isUnavailable } from "../../core/db/driver/failures.ts";
import { createGroup, type Group } from "../../core/db/driver/group.ts";
import type { Clock } from "../../core/platform/clock.ts";
import type { GroupMeter } from "../../core/platform/metrics.ts";
import { oldestShownId } from "./list.ts";
import type { EventRow } from "./present.ts";
import { readEventsAfter } from "./sql.ts";

/** A position in an account's log: the reader has seen everything up to `seq`. */
export interface LogPosition {
  readonly shard: number;
  readonly accountId: string;
  /** Only events of this mode count. */
  readonly mode: Mode;
  readonly seq: number;
}

export const EVENTS_PER_WAIT_MAX = 100;
const POSITIONS_PER_READ_MAX = 200;
const POSITIONS_WAITING_MAX = 20_000;

export type EventReader = Group<LogPosition, readonly EventRow[]>;

/**
 * Reads the events after a position, one row more than an answer shows. Positions requested during a read share the
 * next one, and a position requested by a thousand clients is read once. Every read starts after its request, so it
 * sees all earlier commits.
 */
export function createEventReader(db: Database, clock: Clock, meter: GroupMeter): EventReader {
  return createGroup<LogPosition, readonly EventRow[]>({
    meter,
    itemsPerWriteMax: POSITIONS_WAITING_MAX,
    itemsWaitingMax: POSITIONS_WAITING_MAX,
    isItemFault: (error) => !isUnavailable(error),
    async write(positions) {
      const unique = new Map(positions.map((position) => [keyOf(position), position]));
      const found = new Map<string, EventRow[]>();
      for (const [shard, group] of chunksByShard([...unique.values()])) {
        const rows = await db.query<EventRow & { position: number }>(readEventsAfter, [
          shard,
          group.map((position) => position.accountId),
          group.map((position) => position.seq),
          oldestShownId(clock),
          EVENTS_PER_WAIT_MAX + 1,
          group.map((position) => position.mode),
        ]);
        for (const row of rows) {
          const key = keyOf(group[row.position - 1] as LogPosition);
          const list = found.get(key);
          if (list) list.push(row);
          else found.set(key, [row]);
        }
      }
      return positions.map((position) => found.get(keyOf(position)) ?? []);
    },
  });
}

/** Equal for positions that the same events follow. */
export function keyOf(position: LogPosition): string {
  return `${position.accountId} ${position.mode} ${position.seq}`;
}

function* chunksByShard(
  positions: readonly LogPosition[],
): Generator<[number, readonly LogPosition[]]> {
  for (const shard of new Set(positions.map((position) => position.shard))) {
    const own = positions.filter((position) => position.shard === shard);
    for (let start = 0; start < own.length; start += POSITIONS_PER_READ_MAX) {
      yield [shard, own.slice(start, start + POSITIONS_PER_READ_MAX)];
    }
  }
}
