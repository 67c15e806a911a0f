import type { Database } from "../db/database.ts";
import { isUnavailable } from "../db/failures.ts";
import { createGroup, type Group } from "../db/group.ts";
import type { Clock } from "../platform/clock.ts";
import type { GroupMeter } from "../platform/metrics.ts";
import { oldestShownId } from "./list.ts";
import type { EventRow } from "./present.ts";
import { readEventsAfter } from "./sql.ts";

/** A place in an account's log: everything up to `seq` has been seen. */
export interface Place {
  readonly shard: number;
  readonly accountId: string;
  readonly seq: number;
}

export const EVENTS_PER_WAIT_MAX = 100;
const PLACES_PER_READ_MAX = 200;
const PLACES_WAITING_MAX = 20_000;

export type EventReader = Group<Place, readonly EventRow[]>;

/**
 * Reads what follows a place, one more row than an answer shows. Places that are asked for while a
 * read is under way are read together by the next one, and a place that a thousand clients ask for
 * is read once. A read begins after it was asked for, so it sees all that was committed by then.
 */
export function createEventReader(db: Database, clock: Clock, meter: GroupMeter): EventReader {
  return createGroup<Place, readonly EventRow[]>({
    meter,
    itemsPerWriteMax: PLACES_WAITING_MAX,
    itemsWaitingMax: PLACES_WAITING_MAX,
    isItemFault: (error) => !isUnavailable(error),
    async write(places) {
      const unique = new Map(places.map((place) => [keyOf(place), place]));
      const found = new Map<string, EventRow[]>();
      for (const [shard, group] of chunksByShard([...unique.values()])) {
        const rows = await db.query<EventRow & { place: number }>(readEventsAfter, [
          shard,
          group.map((place) => place.accountId),
          group.map((place) => place.seq),
          oldestShownId(clock),
          EVENTS_PER_WAIT_MAX + 1,
        ]);
        for (const row of rows) {
          const key = keyOf(group[row.place - 1] as Place);
          const list = found.get(key);
          if (list) list.push(row);
          else found.set(key, [row]);
        }
      }
      return places.map((place) => found.get(keyOf(place)) ?? []);
    },
  });
}

function keyOf(place: Place): string {
  return `${place.accountId} ${place.seq}`;
}

function* chunksByShard(places: readonly Place[]): Generator<[number, readonly Place[]]> {
  for (const shard of new Set(places.map((place) => place.shard))) {
    const own = places.filter((place) => place.shard === shard);
    for (let start = 0; start < own.length; start += PLACES_PER_READ_MAX) {
      yield [shard, own.slice(start, start + PLACES_PER_READ_MAX)];
    }
  }
}
