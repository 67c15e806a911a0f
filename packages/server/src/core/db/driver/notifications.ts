import { randomUUID } from "node:crypto";
import type pg from "pg";
import type { Clock } from "../platform/clock.ts";
import type { Log } from "../platform/log.ts";
import { type Database, NOTIFY, type Queryable, type Step } from "./database.ts";

/** What processes tell each other through PostgreSQL. A hint: whoever misses one still polls. */
const CHANNELS = [
  "longwave_cache",
  "longwave_work",
  "longwave_events",
  "longwave_clock",
  "longwave_carriers",
] as const;
export type Channel = (typeof CHANNELS)[number];
/** What is sent with transactions; of events others hear after those, see `EventHints`. */
export type SentChannel = Exclude<Channel, "longwave_events">;

export interface Notifications {
  /** Calls back with each payload, and with null when some may have been missed. */
  subscribe(channel: Channel, hear: (payload: string | null) => void): () => void;
  close(): Promise<void>;
}

const RECONNECT_DELAYS_MS = [50, 200, 500, 1_000, 2_000] as const;
/** A connection that nothing comes through for so long is tried, and opened anew if it is dead. */
const HEARTBEAT_MS = 5_000;

/**
 * Sends a hint; in a transaction it leaves with the commit. The process that sends one about its
 * caches hears it before the transaction's caller goes on, and again from the database.
 */
export async function notify(db: Queryable, channel: SentChannel, payload: string): Promise<void> {
  await db.query(NOTIFY, [channel, payload]);
}

/** The same as one of the steps of a transaction that is sent as a whole. */
export function notifyStep(channel: SentChannel, payload: string): Step {
  return { statement: NOTIFY, values: [channel, payload] };
}

/** One connection that listens, opened again whenever it breaks. */
export async function openNotifications(options: {
  /** Makes a client that is not connected yet. */
  makeClient: () => pg.Client;
  db: Database;
  clock: Clock;
  log: Log;
}): Promise<Notifications> {
  const hearers = new Map<Channel, Set<(payload: string | null) => void>>();
  const stopped = new AbortController();
  let client: pg.Client | null = null;

  const tell = (channel: Channel, payload: string | null) => {
    for (const hear of hearers.get(channel) ?? []) hear(payload);
  };
  const hints = createEventHints((payload) =>
    options.db.query(NOTIFY, ["longwave_events", payload]).then(
      () => {},
      (error: unknown) =>
        options.log.warn({ err: error }, "other processes were not told of events"),
    ),
  );
  const hear = ({ channel, payload = "" }: pg.Notification) => {
    if (channel !== "longwave_events") return tell(channel as Channel, payload);
    for (const accountId of hints.heard(payload)) tell(channel, accountId);
  };
  const connect = async () => {
    const fresh = options.makeClient();
    fresh.on("notification", hear);
    fresh.on("end", () => {
      if (client === fresh) void reconnect();
    });
    await fresh.connect();
    await fresh.query(CHANNELS.map((channel) => `listen ${channel}`).join(";"));
    client = fresh;
    void beat(fresh);
  };
  const beat = async (fresh: pg.Client) => {
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
        for (const channel of CHANNELS) tell(channel, null);
        return;
      } catch (error) {
        options.log.warn({ err: error }, "listening to the database failed; trying again");
      }
    }
  };

  // A process that has changed something must not answer from what it remembers of before, and need
  // not wait for its own word of events.
  options.db.onNotified((channel, payload) => {
    if (channel !== "longwave_cache" && channel !== "longwave_events") return;
    tell(channel, payload);
    if (channel === "longwave_events") hints.add(payload);
  });
  await connect();
  return {
    subscribe(channel, hear) {
      const set = hearers.get(channel) ?? new Set();
      set.add(hear);
      hearers.set(channel, set);
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
 * Tells the other processes which accounts have new events, after the commit and for many commits at
 * once. A NOTIFY inside a transaction locks all others that notify out until its commit is on disk, so
 * no two of them would share a flush, and it wakes every listener each time. A hint that is lost with
 * its process costs nobody an event: whoever waits also polls.
 */
interface EventHints {
  add(accountId: string): void;
  /** The accounts that a hint speaks of; none where it is our own, which was heard at its commit. */
  heard(payload: string): readonly string[];
  /** Sends what is left and no more after that. */
  close(): Promise<void>;
}

/** The first hint leaves at once, those that follow within this time together. */
const HINTS_EVERY_MS = 20;
/** PostgreSQL takes 8,000 bytes in one notification; an id has 36, and a blank. */
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
  const flushInTurn = () => {
    if (waiting.size === 0) {
      timer = null;
      return;
    }
    timer = setTimeout(flushInTurn, HINTS_EVERY_MS).unref();
    void flush();
  };
  return {
    add(accountId) {
      if (isClosed) return;
      waiting.add(accountId);
      if (timer === null) flushInTurn();
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
