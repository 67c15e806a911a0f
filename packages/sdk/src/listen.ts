import type { EventType, EventWait, WebhookEvent } from "./contract/types.ts";
import { sleep } from "./core/ambient.ts";
import { ApiError, ConnectionError } from "./core/errors.ts";
import type { EventsCalls } from "./generated/events.ts";

const WAIT_SECONDS_DEFAULT = 20;
/** Extra timeout beyond the server's wait, for its response. */
const WAIT_GRACE_MS = 10_000;
/** Delays after consecutive failures; the last repeats. */
const PAUSES_MS = [1_000, 2_000, 5_000, 10_000, 30_000] as const;
/** Remembered event ids for deduplication; a repeat follows soon after the first. */
const SEEN_IDS_MAX = 10_000;
/** Number of ids in the store, for deduplication after a restart. */
const STORED_IDS_MAX = 200;

/** Position of a listener, stored between runs. */
export interface ListenState {
  readonly cursor: string;
  /** Ids of the latest handled events, oldest first. */
  readonly handled: readonly string[];
}

/** Persists a listener's position. `@longwave/sdk/node` has a file store. */
export interface ListenStore {
  load(): Promise<ListenState | null> | ListenState | null;
  save(state: ListenState): Promise<void> | void;
}

export interface ListenOptions {
  /** Without a store, every run begins with new events. */
  readonly store?: ListenStore | undefined;
  /** Only these types; others are skipped. */
  readonly types?: readonly EventType[] | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Seconds that the server waits for an event, 0 to 25. Default: 20. */
  readonly waitSeconds?: number | undefined;
  /** Called on every failed call that will be retried. */
  readonly onProblem?: ((error: Error) => void) | undefined;
}

/** The calls of `client.events`, and `listen` on top of them. */
export interface Events extends EventsCalls {
  /**
   * Yields every event once, as it happens: `for await (const event of client.events.listen())`. An
   * event counts as handled when the loop requests the next one; with a store, an interrupted run
   * gets it again. Ends when the signal aborts, throws when the server refuses the call, and
   * retries broken connections.
   */
  listen(options?: ListenOptions): AsyncGenerator<WebhookEvent, void, undefined>;
}

export function withListen(calls: EventsCalls): Events {
  return { ...calls, listen: (options = {}) => listen(calls, options) };
}

async function* listen(
  calls: EventsCalls,
  options: ListenOptions,
): AsyncGenerator<WebhookEvent, void, undefined> {
  const position = await ListenPosition.open(options.store);
  while (!options.signal?.aborted) {
    const answer = await next(calls, position.cursor, options);
    if (answer === null) return;
    for (const event of answer.data as WebhookEvent[]) {
      if (position.has(event.id)) continue;
      if (isSubscribed(event, options)) {
        yield event;
        await position.handled(event.id);
      } else {
        position.skipped(event.id);
      }
    }
    await position.moveTo(answer.cursor);
  }
}

/** Next response of the long poll, with retries; null once aborted. */
async function next(
  calls: EventsCalls,
  cursor: string | undefined,
  options: ListenOptions,
): Promise<EventWait | null> {
  const { signal, onProblem, waitSeconds = WAIT_SECONDS_DEFAULT } = options;
  const query = cursor === undefined ? {} : { cursor, timeout: waitSeconds };
  const call = {
    timeoutMs: waitSeconds * 1000 + WAIT_GRACE_MS,
    retryDelaysMs: [],
    ...(signal ? { signal } : {}),
  };
  for (let failures = 0; ; failures += 1) {
    try {
      return await calls.wait(query, call);
    } catch (error) {
      if (signal?.aborted) return null;
      if (!isPassing(error)) throw error;
      onProblem?.(error);
      const isGone = await paused(pauseMs(error, failures), signal);
      if (isGone) return null;
    }
  }
}

function isPassing(error: unknown): error is ApiError | ConnectionError {
  if (error instanceof ConnectionError) return true;
  return error instanceof ApiError && (error.status === 429 || error.status >= 500);
}

function pauseMs(error: ApiError | ConnectionError, failures: number): number {
  const ownMs = PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)] ?? 0;
  const askedSeconds = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) : 0;
  return Math.max(ownMs, askedSeconds * 1000);
}

/** Sleeps; true when the signal ended the sleep. */
async function paused(ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    await sleep(ms, signal);
    return false;
  } catch (error) {
    if (signal?.aborted) return true;
    throw error;
  }
}

function isSubscribed(event: WebhookEvent, { types }: ListenOptions): boolean {
  return types === undefined || types.includes(event.type);
}

/** Position of a listener: its cursor and the ids of seen events. */
class ListenPosition {
  readonly #store: ListenStore | undefined;
  // A set keeps insertion order.
  readonly #seen: Set<string>;
  cursor: string | undefined;

  private constructor(store: ListenStore | undefined, state: ListenState | null) {
    this.#store = store;
    this.#seen = new Set(state?.handled ?? []);
    this.cursor = state?.cursor;
  }

  static async open(store: ListenStore | undefined): Promise<ListenPosition> {
    return new ListenPosition(store, (await store?.load()) ?? null);
  }

  has(id: string): boolean {
    return this.#seen.has(id);
  }

  skipped(id: string): void {
    this.#seen.add(id);
    if (this.#seen.size <= SEEN_IDS_MAX) return;
    const [oldest = ""] = this.#seen;
    this.#seen.delete(oldest);
  }

  /** Stored together with the request's cursor: both define which events are done. */
  async handled(id: string): Promise<void> {
    this.skipped(id);
    await this.#save();
  }

  async moveTo(cursor: string): Promise<void> {
    if (cursor === this.cursor) return;
    this.cursor = cursor;
    await this.#save();
  }

  async #save(): Promise<void> {
    if (!this.#store || this.cursor === undefined) return;
    const handled = [...this.#seen].slice(-STORED_IDS_MAX);
    await this.#store.save({ cursor: this.cursor, handled });
  }
}
