import { Problem } from "@longwave/contract";
import type { Database } from "../../core/db/driver/database.ts";
import { CONSOLE_CHANGED, type Notifications } from "../../core/db/driver/notifications.ts";
import type { Clock } from "../../core/platform/clock.ts";
import type { Log } from "../../core/platform/log.ts";
import type { Metrics } from "../../core/platform/metrics.ts";
import type { EventRow } from "./present.ts";
import { createEventReader, keyOf, type LogPosition } from "./reader.ts";
import { readEventSeqs } from "./sql.ts";

/**
 * Poll interval in ms, which covers lost notifications: one query per shard for all waiting calls, and one for their
 * keys. Short enough that a call ends within a second of its key's revocation or its account's suspension.
 */
const POLL_MS = 900;
const WAITING_PER_PROCESS_MAX = 3_000;

export interface WaitRequest {
  readonly position: LogPosition;
  readonly timeoutMs: number;
  /** Calls back when the client disconnects; returns the function that removes the listener. */
  readonly onGone: (listener: () => void) => () => void;
  /** Rejects with the refusal that the caller would get now. */
  readonly readmit: () => Promise<void>;
  /** The API key (a UUID) of the caller; null for a person in the console. */
  readonly keyId: string | null;
}

/** Long polls of this process. */
export interface EventWaits {
  /**
   * Events after a position: at once if there are any, else when some arrive or the time is up. A waiting call whose
   * caller loses access rejects with the refusal, and returns no event.
   */
  wait(request: WaitRequest): Promise<readonly EventRow[]>;
  /** Whether one more call of this account may wait. */
  hasSlot(accountId: string): boolean;
  readonly waitingCount: number;
  /** Answers all waiting calls with the events so far: the server is stopping. */
  stop(): void;
}

interface Waiter {
  readonly position: LogPosition;
  /** The log has nothing for this waiter up to this number: the events after its position are of the other mode. */
  emptyUpTo: number;
  readonly keyId: string | null;
  readonly readmit: () => Promise<void>;
  readonly answer: (rows: readonly EventRow[]) => void;
  readonly refuse: (refusal: Problem) => void;
}

/**
 * Keeps calls waiting until events arrive. A NOTIFY of an account causes one read for each position of its waiters,
 * nearly always one. A thousand idle waiters cost one query per shard, and one about their keys, every second.
 */
export function createEventWaits(options: {
  readonly db: Database;
  readonly clock: Clock;
  readonly notifications: Notifications;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly config: { readonly longPollsPerAccountMax: number };
  /** Keys among these (UUIDs) that admission would refuse now. */
  readonly refusedKeys: (keyIds: readonly string[]) => Promise<ReadonlySet<string>>;
}): EventWaits {
  return new Waits(options);
}

class Waits implements EventWaits {
  readonly #db: Database;
  readonly #log: Log;
  readonly #reader: ReturnType<typeof createEventReader>;
  readonly #refusedKeys: Parameters<typeof createEventWaits>[0]["refusedKeys"];
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
    this.#refusedKeys = options.refusedKeys;
    const { notifications } = options;
    const unsubscribes = [
      notifications.subscribe("longwave_events", (accountId) => {
        if (accountId === null) this.#poll();
        else this.#wake(accountId);
      }),
      // Notifications about console sessions carry no account, so all waiters are checked.
      notifications.subscribe("longwave_cache", (accountId) => {
        const own = accountId === null ? undefined : this.#accounts.get(accountId);
        if (own !== undefined) this.#readmitAll(own);
        else if (accountId === null || accountId === CONSOLE_CHANGED) this.#readmitEveryAccount();
      }),
    ];
    this.#unsubscribe = () => {
      for (const unsubscribe of unsubscribes) unsubscribe();
    };
  }

  get waitingCount(): number {
    return this.#waitingCount;
  }

  hasSlot(accountId: string): boolean {
    const waiting = this.#accounts.get(accountId)?.size ?? 0;
    return this.#waitingCount < WAITING_PER_PROCESS_MAX && waiting < this.#perAccountMax;
  }

  async wait(request: WaitRequest): Promise<readonly EventRow[]> {
    const { position } = request;
    if (request.timeoutMs <= 0 || this.#isStopped) return this.#reader.add(position);
    // Registered before the read: an event committed after the read wakes this waiter.
    const { waiter, answered } = this.#register(request);
    try {
      const first = await Promise.race([answered, this.#reader.add(position)]);
      if (first.length > 0) return first;
      const rows = await answered;
      // The commit just before the event's may have revoked the key.
      if (rows.length > 0) await request.readmit();
      return rows;
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
    const { position } = request;
    let answer: Waiter["answer"] = () => {};
    let refuse: Waiter["refuse"] = () => {};
    const answered = new Promise<readonly EventRow[]>((resolve, reject) => {
      const timer = setTimeout(() => answer([]), request.timeoutMs);
      const stayed = request.onGone(() => answer([]));
      const end = () => {
        clearTimeout(timer);
        stayed();
      };
      answer = (rows) => {
        end();
        resolve(rows);
      };
      refuse = (refusal) => {
        end();
        reject(refusal);
      };
    });
    // The awaiting call handles a refusal; a call answered meanwhile no longer awaits it.
    answered.catch(() => {});
    const { keyId, readmit } = request;
    const { seq: emptyUpTo } = position;
    const waiter: Waiter = { position, emptyUpTo, keyId, readmit, answer, refuse };
    const waiters = this.#accounts.get(position.accountId) ?? new Set();
    waiters.add(waiter);
    this.#accounts.set(position.accountId, waiters);
    this.#waitingCount += 1;
    this.#timer ??= setInterval(() => this.#poll(), POLL_MS).unref();
    return { waiter, answered };
  }

  #remove(waiter: Waiter): void {
    waiter.answer([]);
    const { accountId } = waiter.position;
    const waiters = this.#accounts.get(accountId);
    if (!waiters?.delete(waiter)) return;
    if (waiters.size === 0) this.#accounts.delete(accountId);
    this.#waitingCount -= 1;
    if (this.#waitingCount === 0 && this.#timer) {
      clearInterval(this.#timer);
      this.#timer = null;
    }
  }

  #readmitEveryAccount(): void {
    for (const waiters of this.#accounts.values()) this.#readmitAll(waiters);
  }

  /** Ends the calls whose callers would be refused now. */
  #readmitAll(waiters: Iterable<Waiter>): void {
    for (const waiter of waiters) {
      // Deferred, so that the caches of keys and sessions process the change first.
      const asked = Promise.resolve().then(waiter.readmit);
      asked.catch((error: unknown) => {
        if (error instanceof Problem) waiter.refuse(error);
        // The next poll retries.
        else this.#log.warn({ err: error }, "events: waiting caller was not readmitted");
      });
    }
  }

  /** Reads once for each position of the account's waiters; the log has reached `logSeq` at least. */
  #wake(accountId: string, logSeq = 0): void {
    const waiters = this.#accounts.get(accountId);
    if (!waiters) return;
    const positions = new Map([...waiters].map(({ position }) => [keyOf(position), position]));
    for (const position of positions.values()) void this.#answerWaiters(position, logSeq);
  }

  async #answerWaiters(position: LogPosition, logSeq: number): Promise<void> {
    let rows: readonly EventRow[];
    try {
      rows = await this.#reader.add(position);
    } catch (error) {
      // The next poll retries.
      this.#log.warn({ err: error }, "events: read for waiting callers failed");
      return;
    }
    for (const waiter of [...(this.#accounts.get(position.accountId) ?? [])]) {
      if (keyOf(waiter.position) !== keyOf(position)) continue;
      if (rows.length > 0) waiter.answer(rows);
      else waiter.emptyUpTo = Math.max(waiter.emptyUpTo, logSeq);
    }
  }

  /** Finds callers that lost access without a notification. */
  async #pollAccess(): Promise<void> {
    const waiters = [...this.#accounts.values()].flatMap((own) => [...own]);
    this.#readmitAll(waiters.filter(({ keyId }) => keyId === null));
    const keyIds = [...new Set(waiters.flatMap(({ keyId }) => keyId ?? []))];
    if (keyIds.length === 0) return;
    const refused = await this.#refusedKeys(keyIds);
    this.#readmitAll(waiters.filter(({ keyId }) => keyId !== null && refused.has(keyId)));
  }

  /** Finds accounts with new events whose notification was lost. */
  #poll(): void {
    this.#pollAccess().catch((error: unknown) => {
      this.#log.warn({ err: error }, "events: access of waiting callers was not polled");
    });
    const shards = new Map<number, string[]>();
    for (const [accountId, waiters] of this.#accounts) {
      const [waiter] = waiters;
      if (!waiter) continue;
      const ids = shards.get(waiter.position.shard) ?? [];
      ids.push(accountId);
      shards.set(waiter.position.shard, ids);
    }
    for (const [shard, ids] of shards) {
      this.#pollShard(shard, ids).catch((error: unknown) => {
        this.#log.warn({ err: error }, "events: poll failed");
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
      const { account_id, event_seq } = row;
      if (waiters.some((waiter) => waiter.emptyUpTo < event_seq)) this.#wake(account_id, event_seq);
    }
  }
}
