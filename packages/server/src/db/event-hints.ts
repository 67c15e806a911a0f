import { randomUUID } from "node:crypto";

/**
 * Tells the other processes which accounts have new events, after the commit and for many commits at
 * once. A NOTIFY inside a transaction locks all others that notify out until its commit is on disk, so
 * no two of them would share a flush, and it wakes every listener each time. A hint that is lost with
 * its process costs nobody an event: whoever waits also polls.
 */
export interface EventHints {
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
