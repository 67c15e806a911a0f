import {
  bytesToUuid,
  decodeUuid,
  encodeUuid,
  encodeUuidBytes,
  ID_PREFIXES,
  type IdKind,
} from "@longwave/contract";
import type { Clock } from "./clock.ts";
import type { Random } from "./random.ts";

/**
 * Makes UUIDv7 values: 48 bits of milliseconds, then a counter that keeps ids of one process in
 * order within a millisecond, then randomness. Rows store the UUID; the API shows `toApiId`.
 */
export interface Ids {
  make(): string;
  /** The 26 characters after an id's prefix, for ids that are never stored. */
  makeText(): string;
  /** An id stamped with a time already read, so that `created_at` and the id agree. */
  makeAt(ms: number): string;
  /** `count` ids of one millisecond, in order; every sixteen are neighbours. */
  makeRun(ms: number, count: number): string[];
}

const COUNTER_LIMIT = 0x1000;
const RANDOM_BYTES_PER_ID = 8;
const RANDOM_POOL_BYTES = RANDOM_BYTES_PER_ID * 512;
const UUID_BYTES = 16;
/** Ids per run of neighbours: they differ in their last hexadecimal digit only. */
export const NEIGHBOURS = 16;

export function createIds(clock: Clock, random: Random): Ids {
  // Scratch buffer: holds one id at a time, which is read before the next is written.
  const bytes = new Uint8Array(UUID_BYTES);
  let lastMs = 0;
  let counter = 0;
  let pool: Buffer = Buffer.alloc(0);
  let position = 0;

  const fill = (ms: number): Uint8Array => {
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
    writeTime(bytes, ms);
    bytes[6] = 0x70 | (counter >>> 8);
    bytes[7] = counter & 0xff;
    for (let index = 8; index < UUID_BYTES; index += 1) bytes[index] = pool[position++] ?? 0;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    return bytes;
  };
  return {
    make: () => bytesToUuid(fill(clock.now())),
    makeText: () => encodeUuidBytes(fill(clock.now())),
    makeAt: (ms) => bytesToUuid(fill(ms)),
    makeRun(ms, count) {
      const made: string[] = [];
      let first = "";
      for (let index = 0; index < count; index += 1) {
        const digit = index % NEIGHBOURS;
        if (digit === 0) first = bytesToUuid(fill(ms)).slice(0, -1);
        made.push(first + digit.toString(NEIGHBOURS));
      }
      return made;
    },
  };
}

/** Writes 48 bits, big-endian; bitwise operators only take 32. */
function writeTime(bytes: Uint8Array, ms: number): void {
  const low = ms % 0x1_0000_0000;
  const high = (ms - low) / 0x1_0000_0000;
  bytes[0] = high >>> 8;
  bytes[1] = high & 0xff;
  bytes[2] = low >>> 24;
  bytes[3] = (low >>> 16) & 0xff;
  bytes[4] = (low >>> 8) & 0xff;
  bytes[5] = low & 0xff;
}

/** The smallest UUIDv7 of a millisecond: turns a date filter into a bound on ids. */
export function firstUuidAt(ms: number): string {
  const time = Math.max(0, Math.floor(ms)).toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}

/** The lowest id of a run of neighbours, existing or not; it names the run. */
export function firstNeighbour(uuid: string): string {
  return `${uuid.slice(0, -1)}0`;
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
