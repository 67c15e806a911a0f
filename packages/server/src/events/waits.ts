import type { Database } from "../db/database.ts";
import type { Notifications } from "../db/notifications.ts";
import type { Clock } from "../platform/clock.ts";
import type { Log } from "../platform/log.ts";
import type { Metrics } from "../platform/metrics.ts";
import type { EventRow } from "./present.ts";
import { createEventReader, type Place } from "./reader.ts";
import { readEventSeqs } from "./sql.ts";

/** What covers a lost NOTIFY: one question per shard for all that wait. */
const POLL_MS = 1_500;
const WAITING_PER_PROCESS_MAX = 3_000;

export interface WaitRequest {
  readonly place: Place;
  readonly timeoutMs: number;
  /** Calls back when the client has gone; answers how to take that back. */
  readonly onGone: (hear: () => void) => () => void;
}

/** The long polls of this process. */
export interface EventWaits {
  /** Events after a place: at once when there are any, else when there are or the time is up. */
  wait(request: WaitRequest): Promise<readonly EventRow[]>;
  /** Whether one more call of this account may be held. */
  hasRoom(accountId: string): boolean;
  readonly waitingCount: number;
  /** Answers everybody who waits with what there is: the server is stopping. */
  stop(): void;
}

interface Waiter {
  readonly place: Place;
  readonly answer: (rows: readonly EventRow[]) => void;
}

/**
 * Holds calls until there is something to tell. A NOTIFY of an account leads to one read for each
 * place that its waiters stand at, which is nearly always one; a thousand idle waiters cost one
 * question per shard every second and a half.
 */
export function createEventWaits(options: {
  readonly db: Database;
  readonly clock: Clock;
  readonly notifications: Notifications;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly config: { readonly longPollsPerAccountMax: number };
}): EventWaits {
  return new Waits(options);
}

class Waits implements EventWaits {
  readonly #db: Database;
  readonly #log: Log;
  readonly #reader: ReturnType<typeof createEventReader>;
  readonly #unsubscribe: () => void;
  readonly #accounts = new Map<string, Set<Waiter>>();
  readonly #perAccountMax: number;
  #waitingCount = 0;
  #timer: NodeJS.Timeout | null = null;
  #isStopped: boolean = false;

  constructor(options: Parameters<typeof createEventWaits>[0]) {
    this.#db = options.db;
    this.#log = options.log;
    this.#perAccountMax = options.config.longPollsPerAccountMax;
    this.#reader = createEventReader(
      options.db,
      options.clock,
      options.metrics.group("event_reads"),
    );
    this.#unsubscribe = options.notifications.subscribe("longwave_events", (accountId) => {
      if (accountId === null) this.#poll();
      else this.#wake(accountId);
    });
  }

  get waitingCount(): number {
    return this.#waitingCount;
  }

  hasRoom(accountId: string): boolean {
    const waiting = this.#accounts.get(accountId)?.size ?? 0;
    return this.#waitingCount < WAITING_PER_PROCESS_MAX && waiting < this.#perAccountMax;
  }

  async wait(request: WaitRequest): Promise<readonly EventRow[]> {
    const { place } = request;
    if (request.timeoutMs <= 0 || this.#isStopped) return this.#reader.add(place);
    // Registered before the read: an event that the read is too early for wakes this waiter.
    const { waiter, answered } = this.#register(request);
    try {
      const rows = await Promise.race([answered, this.#reader.add(place)]);
      return rows.length > 0 ? rows : await answered;
    } finally {
      this.#remove(waiter);
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.#unsubscribe();
    if (this.#timer) clearInterval(this.#timer);
    for (const waiters of this.#accounts.values()) {
      for (const waiter of waiters) waiter.answer([]);
    }
  }

  #register(request: WaitRequest): { waiter: Waiter; answered: Promise<readonly EventRow[]> } {
    const { place } = request;
    let answer: Waiter["answer"] = () => {};
    const answered = new Promise<readonly EventRow[]>((resolve) => {
      const timer = setTimeout(() => answer([]), request.timeoutMs);
      const stayed = request.onGone(() => answer([]));
      answer = (rows) => {
        clearTimeout(timer);
        stayed();
        resolve(rows);
      };
    });
    const waiter: Waiter = { place, answer };
    const waiters = this.#accounts.get(place.accountId) ?? new Set();
    waiters.add(waiter);
    this.#accounts.set(place.accountId, waiters);
    this.#waitingCount += 1;
    this.#timer ??= setInterval(() => this.#poll(), POLL_MS).unref();
    return { waiter, answered };
  }

  #remove(waiter: Waiter): void {
    waiter.answer([]);
    const { accountId } = waiter.place;
    const waiters = this.#accounts.get(accountId);
    if (!waiters?.delete(waiter)) return;
    if (waiters.size === 0) this.#accounts.delete(accountId);
    this.#waitingCount -= 1;
    if (this.#waitingCount === 0 && this.#timer) {
      clearInterval(this.#timer);
      this.#timer = null;
    }
  }

  /** Reads once for each place that the account's waiters stand at. */
  #wake(accountId: string): void {
    const waiters = this.#accounts.get(accountId);
    if (!waiters) return;
    const places = new Map([...waiters].map((waiter) => [waiter.place.seq, waiter.place]));
    for (const place of places.values()) void this.#tell(place);
  }

  async #tell(place: Place): Promise<void> {
    let rows: readonly EventRow[];
    try {
      rows = await this.#reader.add(place);
    } catch (error) {
      // The next poll tries again.
      this.#log.warn({ err: error }, "events were not read for those who wait");
      return;
    }
    if (rows.length === 0) return;
    for (const waiter of [...(this.#accounts.get(place.accountId) ?? [])]) {
      if (waiter.place.seq === place.seq) waiter.answer(rows);
    }
  }

  /** Finds the accounts whose log has moved on without a word reaching us. */
  #poll(): void {
    const shards = new Map<number, string[]>();
    for (const [accountId, waiters] of this.#accounts) {
      const [waiter] = waiters;
      if (!waiter) continue;
      const ids = shards.get(waiter.place.shard) ?? [];
      ids.push(accountId);
      shards.set(waiter.place.shard, ids);
    }
    for (const [shard, ids] of shards) {
      this.#pollShard(shard, ids).catch((error: unknown) => {
        this.#log.warn({ err: error }, "the event logs were not polled");
      });
    }
  }

  async #pollShard(shard: number, accountIds: readonly string[]): Promise<void> {
    const rows = await this.#db.query<{ account_id: string; event_seq: number }>(readEventSeqs, [
      shard,
      accountIds,
    ]);
    for (const row of rows) {
      const waiters = [...(this.#accounts.get(row.account_id) ?? [])];
      if (waiters.some((waiter) => waiter.place.seq < row.event_seq)) this.#wake(row.account_id);
    }
  }
}
