import { randomUUID } from "node:crypto";
import type pg from "pg";
import type { Clock } from "../../platform/clock.ts";
import type { Log } from "../../platform/log.ts";
import { type Database, NOTIFY, type Queryable, type Step } from "./database.ts";

/**
 * Channels of LISTEN/NOTIFY between processes. Notifications are hints: every listener also polls.
 */
const CHANNELS = [
  "longwave_cache",
  "longwave_work",
  "longwave_events",
  "longwave_clock",
  "longwave_carriers",
] as const;
export type Channel = (typeof CHANNELS)[number];
/** Channels notified inside transactions. Event hints leave after the commit, see `EventHints`. */
export type SentChannel = Exclude<Channel, "longwave_events">;

/** Payload of `longwave_cache` when console users or sessions changed; otherwise the payload is an account id. */
export const CONSOLE_CHANGED = "console";

export interface Notifications {
  /**
   * Calls back with each payload, and with null after a reconnect, when notifications may have been lost.
   */
  subscribe(channel: Channel, hear: (payload: string | null) => void): () => void;
  close(): Promise<void>;
}

const RECONNECT_DELAYS_MS = [50, 200, 500, 1_000, 2_000] as const;
/** Interval of the keep-alive query; a connection that fails it is reopened. */
const HEARTBEAT_MS = 5_000;

/**
 * Sends a NOTIFY; in a transaction it takes effect with the commit. For `longwave_cache`, listeners of this process run
 * at the commit, and again when PostgreSQL delivers it.
 */
export async function notify(db: Queryable, channel: SentChannel, payload: string): Promise<void> {
  await db.query(NOTIFY, [channel, payload]);
}

/** `notify` as a step of a pipelined transaction. */
export function notifyStep(channel: SentChannel, payload: string): Step {
  return { statement: NOTIFY, values: [channel, payload] };
}

/** One LISTEN connection, reopened after a failure. */
export async function openNotifications(options: {
  /** Makes a client that is not connected yet. */
  makeClient: () => pg.Client;
  db: Database;
  clock: Clock;
  log: Log;
}): Promise<Notifications> {
  const listeners = new Map<Channel, Set<(payload: string | null) => void>>();
  const stopped = new AbortController();
  let client: pg.Client | null = null;

  const dispatch = (channel: Channel, payload: string | null) => {
    for (const listen of listeners.get(channel) ?? []) listen(payload);
  };
  const hints = createEventHints((payload) =>
    options.db.query(NOTIFY, ["longwave_events", payload]).then(
      () => {},
      (error: unknown) => options.log.warn({ err: error }, "notifications: event hint not sent"),
    ),
  );
  const receive = ({ channel, payload = "" }: pg.Notification) => {
    if (channel !== "longwave_events") return dispatch(channel as Channel, payload);
    for (const accountId of hints.heard(payload)) dispatch(channel, accountId);
  };
  const connect = async () => {
    const fresh = options.makeClient();
    fresh.on("notification", receive);
    fresh.on("end", () => {
      if (client === fresh) void reconnect();
    });
    await fresh.connect();
    await fresh.query(CHANNELS.map((channel) => `listen ${channel}`).join(";"));
    client = fresh;
    void keepAlive(fresh);
  };
  const keepAlive = async (fresh: pg.Client) => {
    while (client === fresh) {
      await options.clock.sleep(HEARTBEAT_MS, stopped.signal);
      if (client !== fresh) return;
      try {
        await fresh.query("select 1");
      } catch {
        await fresh.end().catch(() => {});
      }
    }
  };
  const reconnect = async () => {
    client = null;
    for (let attempt = 0; !stopped.signal.aborted; attempt += 1) {
      const delay = RECONNECT_DELAYS_MS[Math.min(attempt, RECONNECT_DELAYS_MS.length - 1)] ?? 0;
      await options.clock.sleep(delay, stopped.signal);
      if (stopped.signal.aborted) return;
      try {
        await connect();
        for (const channel of CHANNELS) dispatch(channel, null);
        return;
      } catch (error) {
        options.log.warn({ err: error }, "notifications: LISTEN failed, retrying");
      }
    }
  };

  // Listeners in this process run at the commit: caches must not serve stale values after a change, and events need no
  // round trip.
  options.db.onNotified((channel, payload) => {
    if (channel !== "longwave_cache" && channel !== "longwave_events") return;
    dispatch(channel, payload);
    if (channel === "longwave_events") hints.add(payload);
  });
  await connect();
  return {
    subscribe(channel, hear) {
      const set = listeners.get(channel) ?? new Set();
      set.add(hear);
      listeners.set(channel, set);
      return () => set.delete(hear);
    },
    async close() {
      await hints.close();
      stopped.abort();
      const open = client;
      client = null;
      await open?.end().catch(() => {});
    },
  };
}

/**
 * Notifies other processes which accounts have new events, after the commit, for many commits at once. A NOTIFY inside
 * a transaction takes a global lock until its commit is flushed, so no two of them would share a flush, and each wakes
 * every listener. Losing a hint with its process is harmless: listeners also poll.
 */
interface EventHints {
  add(accountId: string): void;
  /** Accounts of a hint; empty for hints of this process, whose listeners ran at the commit. */
  heard(payload: string): readonly string[];
  /** Sends pending hints, then refuses new ones. */
  close(): Promise<void>;
}

/**
 * Minimum ms between hints. The first hint leaves at once; accounts that follow within the interval go together.
 */
const HINTS_EVERY_MS = 20;
/** PostgreSQL limits a payload to 8,000 bytes; an id takes 36 plus a blank. */
const ACCOUNTS_PER_HINT_MAX = 200;

export function createEventHints(send: (payload: string) => Promise<void>): EventHints {
  const sender = randomUUID();
  const waiting = new Set<string>();
  let timer: NodeJS.Timeout | null = null;
  let isClosed = false;

  const flush = async () => {
    const accounts = [...waiting];
    waiting.clear();
    for (let start = 0; start < accounts.length; start += ACCOUNTS_PER_HINT_MAX) {
      await send([sender, ...accounts.slice(start, start + ACCOUNTS_PER_HINT_MAX)].join(" "));
    }
  };
  const flushPeriodically = () => {
    if (waiting.size === 0) {
      timer = null;
      return;
    }
    timer = setTimeout(flushPeriodically, HINTS_EVERY_MS).unref();
    void flush();
  };
  return {
    add(accountId) {
      if (isClosed) return;
      waiting.add(accountId);
      if (timer === null) flushPeriodically();
    },
    heard(payload) {
      const [from, ...accounts] = payload.split(" ");
      return from === sender ? [] : accounts;
    },
    async close() {
      isClosed = true;
      if (timer !== null) clearTimeout(timer);
      await flush();
    },
  };
}
