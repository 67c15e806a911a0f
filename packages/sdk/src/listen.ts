import type { EventType, EventWait, WebhookEvent } from "./contract/types.ts";
import { sleep } from "./core/ambient.ts";
import { ApiError, ConnectionError } from "./core/errors.ts";
import type { EventsCalls } from "./generated/events.ts";

const WAIT_SECONDS_DEFAULT = 20;
/** Beyond the time for which the server may hold a call: its answer needs some time, too. */
const WAIT_GRACE_MS = 10_000;
/** How long to wait after the first, second, … failed call in a row; then the last one again. */
const PAUSES_MS = [1_000, 2_000, 5_000, 10_000, 30_000] as const;
/** Events already seen are known by as many ids; a repeated one comes soon after the first. */
const SEEN_IDS_MAX = 10_000;
/** As many of them are kept in the store, for the time after a restart. */
const STORED_IDS_MAX = 200;

/** Where a listener is: what a store keeps between two runs. */
export interface ListenState {
  readonly cursor: string;
  /** The ids of the events handled last, oldest first. */
  readonly handled: readonly string[];
}

/** Keeps a listener's place. `@longwave/sdk/node` has one that uses a file. */
export interface ListenStore {
  load(): Promise<ListenState | null> | ListenState | null;
  save(state: ListenState): Promise<void> | void;
}

export interface ListenOptions {
  /** Without one, every run begins with what happens from now on. */
  readonly store?: ListenStore;
  /** Only these; the others are passed over. */
  readonly types?: readonly EventType[];
  readonly signal?: AbortSignal;
  /** How long the server holds a call when nothing happens, 0 to 25. Default: 20. */
  readonly waitSeconds?: number;
  /** Hears of every failed call that will be tried again. */
  readonly onProblem?: (error: Error) => void;
}

/** The calls of `client.events`, and `listen` on top of them. */
export interface Events extends EventsCalls {
  /**
   * Every event as it happens, each once: `for await (const event of client.events.listen())`. An
   * event counts as handled when the loop asks for the next one; with a store, a run that ended
   * in between gets it again. It ends when the signal is aborted, and throws when the server
   * refuses the call; broken connections are waited out.
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
  const place = await Place.open(options.store);
  while (!options.signal?.aborted) {
    const answer = await next(calls, place.cursor, options);
    if (answer === null) return;
    for (const event of answer.data as WebhookEvent[]) {
      if (place.has(event.id)) continue;
      if (isWanted(event, options)) {
        yield event;
        await place.handled(event.id);
      } else {
        place.skipped(event.id);
      }
    }
    await place.moveTo(answer.cursor);
  }
}

/** The next answer of the long poll, however long the line is down; null once it is aborted. */
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

/** True when the signal ended the pause. */
async function paused(ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    await sleep(ms, signal);
    return false;
  } catch (error) {
    if (signal?.aborted) return true;
    throw error;
  }
}

function isWanted(event: WebhookEvent, { types }: ListenOptions): boolean {
  return types === undefined || types.includes(event.type);
}

/** Where a listener is: the cursor it asks with, and the events it has seen. */
class Place {
  readonly #store: ListenStore | undefined;
  // A set remembers the order in which its members came.
  readonly #seen: Set<string>;
  cursor: string | undefined;

  private constructor(store: ListenStore | undefined, state: ListenState | null) {
    this.#store = store;
    this.#seen = new Set(state?.handled ?? []);
    this.cursor = state?.cursor;
  }

  static async open(store: ListenStore | undefined): Promise<Place> {
    return new Place(store, (await store?.load()) ?? null);
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

  /** Stored with the cursor that was asked with: together they say exactly what is done. */
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
