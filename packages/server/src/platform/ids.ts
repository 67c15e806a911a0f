import { decodeUuid, encodeUuid, ID_PREFIXES, type IdKind } from "@longwave/contract";
import type { Clock } from "./clock.ts";
import type { Random } from "./random.ts";

/**
 * Makes UUIDv7 values: 48 bits of milliseconds, then a counter that keeps ids of one process in
 * order within a millisecond, then randomness. Rows store the UUID; the API shows `toApiId`.
 */
export interface Ids {
  make(): string;
  /** An id stamped with a time already read, so that `created_at` and the id agree. */
  makeAt(ms: number): string;
}

const COUNTER_LIMIT = 0x1000;
const RANDOM_BYTES_PER_ID = 8;
const RANDOM_POOL_BYTES = RANDOM_BYTES_PER_ID * 512;

export function createIds(clock: Clock, random: Random): Ids {
  let lastMs = 0;
  let counter = 0;
  let pool: Buffer = Buffer.alloc(0);
  let position = 0;

  const makeAt = (ms: number): string => {
    if (ms > lastMs) {
      lastMs = ms;
      counter = random.below(COUNTER_LIMIT / 4);
    } else {
      counter = (counter + 1) % COUNTER_LIMIT;
    }
    if (position >= pool.length) {
      pool = random.bytes(RANDOM_POOL_BYTES);
      position = 0;
    }
    const tail = pool.toString("hex", position, position + RANDOM_BYTES_PER_ID);
    position += RANDOM_BYTES_PER_ID;
    return formatUuid(ms, counter, tail);
  };
  return { make: () => makeAt(clock.now()), makeAt };
}

function formatUuid(ms: number, counter: number, tail: string): string {
  const time = ms.toString(16).padStart(12, "0");
  const variant = ((Number.parseInt(tail.slice(0, 1), 16) & 0x3) | 0x8).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(3, "0")}-${variant}${tail.slice(1, 4)}-${tail.slice(4)}`;
}

/** The smallest UUIDv7 of a millisecond: turns a date filter into a bound on ids. */
export function firstUuidAt(ms: number): string {
  const time = Math.max(0, Math.floor(ms)).toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}

export function uuidTime(uuid: string): number {
  return Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);
}

export function toApiId(kind: IdKind, uuid: string): string {
  return ID_PREFIXES[kind] + encodeUuid(uuid);
}

/** The UUID of an API id, or null when it is not an id of that kind. */
export function fromApiId(kind: IdKind, id: string): string | null {
  const prefix = ID_PREFIXES[kind];
  return id.startsWith(prefix) ? decodeUuid(id.slice(prefix.length)) : null;
}
