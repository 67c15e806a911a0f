import type { Clock } from "../platform/clock.ts";

/** Claimed jobs in all: under way, in stock, or waiting to be written down. */
const CLAIMED_MAX = 4_000;
/** Attempts under way in all. When most of them are taken, only endpoints with hardly any get more. */
const IN_FLIGHT_MAX = 1_000;
const IN_FLIGHT_EASY_MAX = 750;
const IN_FLIGHT_WHEN_CROWDED = 2;
const ROOMS_MAX = 1_000;
/** A job that was not begun so long after its claim goes back, well before its lease ends. */
const STOCK_AGE_MS_MAX = 4_000;
const CLOSE_MS_MAX = 8_000;

/** What the dispatcher needs to know of a job. */
export interface Dispatchable extends EndpointRef {
  readonly claimedAtMs: number;
}

export interface DispatcherOptions<Job> {
  readonly clock: Clock;
  /** Makes the attempt. Answers how long the endpoint took (null: it hung), and writes it down. */
  readonly deliver: (job: Job) => Promise<{ tookMs: number | null; written: Promise<void> }>;
  /** Gives back jobs that were not begun. */
  readonly giveBack: (jobs: readonly Job[], place: "open" | "backlog") => Promise<void>;
  /**
   * Asks for a claim: there is room for jobs that a claim left in the queue or put into a backlog. It
   * is called once, and again only after the claim was made.
   */
  readonly refill: () => void;
  /** Wakes the lane: open jobs may be in the queue that the last claim did not take. */
  readonly wake: () => void;
}

/** How many more jobs an endpoint may be given. */
export interface RoomLeft {
  readonly shard: number;
  readonly endpointId: string;
  readonly room: number;
  /** It takes so long that nothing is claimed ahead for it. */
  readonly isSlow: boolean;
}

/**
 * Decides which claimed job is begun when. Every endpoint has its own queue and limit, so none
 * waits for another; what there is of attempts in all is shared out so that each gets some.
 */
export class Dispatcher<Job extends Dispatchable> {
  readonly #options: DispatcherOptions<Job>;
  readonly #rooms = new Map<string, Room<Job>>();
  #claimed = 0;
  #inFlight = 0;
  #isClosed: boolean = false;
  #isRefillAsked: boolean = false;
  #whenIdle: (() => void) | null = null;

  constructor(options: DispatcherOptions<Job>) {
    this.#options = options;
  }

  /** How many jobs may be claimed in all. */
  get capacity(): number {
    return this.#isClosed ? 0 : Math.max(0, CLAIMED_MAX - this.#claimed);
  }

  /** The room of endpoints that nothing is known of. */
  get roomOfUnknown(): number {
    return this.#isCrowded ? IN_FLIGHT_WHEN_CROWDED : ROOM_OF_UNKNOWN;
  }

  /**
   * Those with a backlog are full: what is older waits there. So are those with little room: a claim
   * would find their jobs before anybody else's, and hardly take any.
   */
  knownRooms(): RoomLeft[] {
    return [...this.#rooms.values()].map((room) =>
      refOf(room, room.hasBacklog || !isWorthClaiming(room) ? 0 : this.#roomLeft(room)),
    );
  }

  /** The endpoints whose jobs were left open and that have room for them now. */
  leftOpenWithRoom(): RoomLeft[] {
    const left = [...this.#rooms.values()].filter((room) => room.hasLeftOpen && !room.hasBacklog);
    return this.#withRoom(left);
  }

  /** Whether open jobs of the endpoint were left where they are, as far as this process knows. */
  noteLeftOpen(endpointId: string, isLeft: boolean): void {
    const room = this.#rooms.get(endpointId);
    if (room) room.hasLeftOpen = isLeft;
  }

  /** The endpoints whose backlog can be taken from. */
  backlogsWithRoom(): RoomLeft[] {
    this.#isRefillAsked = false;
    return this.#withRoom([...this.#rooms.values()].filter((room) => room.hasBacklog));
  }

  noteBacklog(endpoint: EndpointRef): void {
    this.#room(endpoint).hasBacklog = true;
  }

  noteNoBacklog(endpointId: string): void {
    const room = this.#rooms.get(endpointId);
    if (room) room.hasBacklog = false;
  }

  /** Begins jobs, or puts them in stock. */
  take(jobs: readonly Job[]): void {
    this.#claimed += jobs.length;
    const rooms = new Set<Room<Job>>();
    for (const job of jobs) {
      const room = this.#room(job);
      room.stock.push(job);
      rooms.add(room);
    }
    for (const room of rooms) this.#begin(room);
  }

  /** Gives back what is in stock for an account, or for all: it was read before a change. */
  recall(accountId: string | null): void {
    for (const room of this.#rooms.values()) {
      if (accountId === null || room.accountId === accountId) this.#emptyStock(room, "open");
    }
  }

  /** Begins nothing more. */
  stop(): void {
    this.#isClosed = true;
  }

  /** Gives back what is in stock and waits for what is under way. */
  async close(): Promise<void> {
    this.stop();
    this.recall(null);
    if (this.#claimed === 0) return;
    const idle = new Promise<void>((resolve) => {
      this.#whenIdle = resolve;
    });
    await Promise.race([idle, this.#options.clock.sleep(CLOSE_MS_MAX)]);
  }

  get #isCrowded(): boolean {
    return this.#inFlight >= IN_FLIGHT_EASY_MAX;
  }

  /** Those of them that are worth a claim. */
  #withRoom(rooms: readonly Room<Job>[]): RoomLeft[] {
    return rooms
      .filter(isWorthClaiming)
      .map((room) => refOf(room, this.#roomLeft(room)))
      .filter((left) => left.room > 0);
  }

  #roomLeft(room: Room<Job>): number {
    if (!this.#isCrowded) return roomLeft(room);
    return Math.max(0, IN_FLIGHT_WHEN_CROWDED - room.inFlight - room.stock.length);
  }

  #room(endpoint: EndpointRef): Room<Job> {
    const known = this.#rooms.get(endpoint.endpointId);
    if (known) return known;
    if (this.#rooms.size >= ROOMS_MAX) {
      for (const [id, room] of this.#rooms) if (isIdle(room)) this.#rooms.delete(id);
    }
    const room = openRoom<Job>(endpoint);
    this.#rooms.set(endpoint.endpointId, room);
    return room;
  }

  /** Begins jobs of one endpoint's stock while it has room. */
  #begin(room: Room<Job>): void {
    const now = this.#options.clock.monotonic();
    while (this.#mayBegin(room)) {
      const [oldest] = room.stock;
      if (!oldest) return;
      if (now - oldest.claimedAtMs > STOCK_AGE_MS_MAX) {
        room.stockMax = 0;
        this.#emptyStock(room, "backlog");
        return;
      }
      room.stock.shift();
      room.inFlight += 1;
      this.#inFlight += 1;
      void this.#deliver(room, oldest);
    }
  }

  #mayBegin(room: Room<Job>): boolean {
    if (this.#isClosed || room.inFlight >= room.attemptsMax) return false;
    if (this.#isCrowded && room.inFlight >= IN_FLIGHT_WHEN_CROWDED) return false;
    return this.#inFlight < IN_FLIGHT_MAX;
  }

  async #deliver(room: Room<Job>, job: Job): Promise<void> {
    const { tookMs, written } = await this.#options.deliver(job);
    const wasCrowded = this.#isCrowded;
    room.inFlight -= 1;
    this.#inFlight -= 1;
    learn(room, tookMs);
    // The rest would wait longer than a lease lasts, so others may have it.
    if (room.stockMax === 0) this.#emptyStock(room, "backlog");
    this.#begin(room);
    if (wasCrowded) for (const other of this.#rooms.values()) this.#begin(other);
    const hasMore = room.hasBacklog || room.hasLeftOpen;
    if (hasMore && !this.#isRefillAsked && isWorthClaiming(room)) {
      this.#isRefillAsked = true;
      this.#options.refill();
    }
    await written;
    this.#release(1);
  }

  #emptyStock(room: Room<Job>, place: "open" | "backlog"): void {
    const jobs = room.stock.splice(0);
    if (jobs.length === 0) return;
    if (place === "backlog") room.hasBacklog = true;
    void this.#options.giveBack(jobs, place).then(() => {
      this.#release(jobs.length);
      if (!this.#isClosed) this.#options.wake();
    });
  }

  #release(count: number): void {
    const wasFull = this.capacity === 0;
    this.#claimed -= count;
    if (wasFull && !this.#isClosed) this.#options.wake();
    if (this.#claimed === 0) this.#whenIdle?.();
  }
}

function refOf({ shard, endpointId, stockMax }: Room<unknown>, room: number): RoomLeft {
  return { shard, endpointId, room, isSlow: stockMax === 0 };
}

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
const ATTEMPTS_MAX = 48;
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
interface Room<Job> extends EndpointRef {
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

function openRoom<Job>({ shard, accountId, endpointId }: EndpointRef): Room<Job> {
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
const ROOM_OF_UNKNOWN = ATTEMPTS_FIRST + STOCK_FIRST;

/** How many more jobs may be claimed for the endpoint. */
function roomLeft(room: Room<unknown>): number {
  return Math.max(0, room.attemptsMax + room.stockMax - room.inFlight - room.stock.length);
}

/**
 * Whether enough is free that claiming more is worth a question to the database: the other half
 * of the stock lasts until the answer is there.
 */
function isWorthClaiming(room: Room<unknown>): boolean {
  return roomLeft(room) >= (room.attemptsMax + room.stockMax) / 2 || room.stock.length === 0;
}

/** Learns from how an attempt went. `tookMs` is null when the endpoint never answered. */
function learn(room: Room<unknown>, tookMs: number | null): void {
  if (tookMs === null || tookMs >= SLOW_MS_MIN) {
    room.attemptsMax = Math.max(ATTEMPTS_MIN, Math.floor(room.attemptsMax / 2));
    room.stockMax = 0;
  } else if (tookMs <= QUICK_MS_MAX) {
    room.attemptsMax = Math.min(ATTEMPTS_MAX, room.attemptsMax + 1);
    room.stockMax = Math.min(STOCK_MAX, room.stockMax + STOCK_STEP);
  }
}

/** Whether nothing would be lost by forgetting the room. */
function isIdle(room: Room<unknown>): boolean {
  return room.inFlight === 0 && room.stock.length === 0 && !room.hasBacklog && !room.hasLeftOpen;
}
