/**
 * How much of this process one endpoint may take up. An endpoint that answers quickly earns more
 * attempts at a time and a larger stock of jobs claimed ahead; one that hangs is cut back to a few
 * and claims nothing ahead. So endpoints that hang never use up what the others need, also when
 * they all live on one host, to which there are only so many connections.
 *
 * An account has at most five endpoints, so these limits are its limits, too.
 */
const ATTEMPTS_FIRST = 10;
const ATTEMPTS_MIN = 6;
export const ATTEMPTS_MAX = 48;
const STOCK_FIRST = 100;
const STOCK_MAX = 500;
const STOCK_STEP = 10;
const QUICK_MS_MAX = 500;
const SLOW_MS_MIN = 2_000;

export interface EndpointRef {
  readonly shard: number;
  readonly accountId: string;
  readonly endpointId: string;
}

/** What is known of one endpoint, and what it has in hand. */
export interface Room<Job> extends EndpointRef {
  /** Attempts under way. */
  inFlight: number;
  attemptsMax: number;
  /** Claimed and not begun, oldest first. */
  readonly stock: Job[];
  stockMax: number;
  /** Whether jobs wait in its backlog, as far as this process knows. */
  hasBacklog: boolean;
  /** Whether it has due jobs that a claim left where they were. */
  hasLeftOpen: boolean;
}

export function openRoom<Job>({ shard, accountId, endpointId }: EndpointRef): Room<Job> {
  return {
    shard,
    accountId,
    endpointId,
    inFlight: 0,
    attemptsMax: ATTEMPTS_FIRST,
    stock: [],
    stockMax: STOCK_FIRST,
    hasBacklog: false,
    hasLeftOpen: false,
  };
}

/** How many jobs of an endpoint of which nothing is known may be claimed at once. */
export const ROOM_OF_UNKNOWN = ATTEMPTS_FIRST + STOCK_FIRST;

/** How many more jobs may be claimed for the endpoint. */
export function roomLeft(room: Room<unknown>): number {
  return Math.max(0, room.attemptsMax + room.stockMax - room.inFlight - room.stock.length);
}

/**
 * Whether enough is free that claiming more is worth a question to the database: the other half
 * of the stock lasts until the answer is there.
 */
export function isWorthClaiming(room: Room<unknown>): boolean {
  return roomLeft(room) >= (room.attemptsMax + room.stockMax) / 2 || room.stock.length === 0;
}

/** Learns from how an attempt went. `tookMs` is null when the endpoint never answered. */
export function learn(room: Room<unknown>, tookMs: number | null): void {
  if (tookMs === null || tookMs >= SLOW_MS_MIN) {
    room.attemptsMax = Math.max(ATTEMPTS_MIN, Math.floor(room.attemptsMax / 2));
    room.stockMax = 0;
  } else if (tookMs <= QUICK_MS_MAX) {
    room.attemptsMax = Math.min(ATTEMPTS_MAX, room.attemptsMax + 1);
    room.stockMax = Math.min(STOCK_MAX, room.stockMax + STOCK_STEP);
  }
}

/** Whether nothing would be lost by forgetting the room. */
export function isIdle(room: Room<unknown>): boolean {
  return room.inFlight === 0 && room.stock.length === 0 && !room.hasBacklog && !room.hasLeftOpen;
}
