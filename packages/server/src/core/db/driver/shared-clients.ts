import type pg from "pg";
import { assert } from "../../platform/assert.ts";
import { stripeOf } from "./stripes.ts";

export interface SharedClients {
  /** The next connection, round robin; always the same one for an account (a UUID), if given. */
  next(accountId?: string | null): Promise<pg.Client>;
  /**
   * Runs the work on all connections, opening missing ones, and on every connection opened later after its first
   * statement.
   */
  warmUp(work: WarmUp): Promise<void>;
  close(): Promise<void>;
}

/** Warm-up of a connection, so that no request pays for catalog loading and planning. */
export type WarmUp = (client: pg.Client) => Promise<void>;

/** A connection, open or connecting. */
interface Slot {
  readonly client: Promise<pg.Client>;
  isOpen: boolean;
}

/** Connections opened on first use and reopened after a failure, used round robin. */
export function sharedClients(
  Client: typeof pg.Client,
  config: pg.ClientConfig,
  count: number,
): SharedClients {
  const { connectionTimeoutMillis: connectMsMax = 0 } = config;
  assert(connectMsMax > 0, "a connection is given up after some time");
  const slots: (Slot | null)[] = Array.from({ length: count }, () => null);
  let nextIndex = 0;
  let closed = false;
  let warmUp: WarmUp | null = null;

  const begin = (index: number): Slot => {
    const client = new Client({ ...config, pipeline: true } as pg.ClientConfig);
    const forget = () => {
      if (slots[index] === own) slots[index] = null;
    };
    client.on("error", forget);
    client.on("end", forget);
    const opened = async () => {
      try {
        await client.connect();
        own.isOpen = true;
        // Ignore a failure: the next statement on this connection reports it.
        setImmediate(() => warmUp?.(client).catch(() => {}));
        return client;
      } catch (error) {
        forget();
        throw error;
      }
    };
    const own: Slot = { isOpen: false, client: Promise.resolve().then(opened) };
    slots[index] = own;
    return own;
  };
  /**
   * Waits for a connection attempt started earlier. The earlier attempt may fail of an outage that is over: then a
   * new one starts, within the remaining time of a fresh attempt.
   */
  const join = async (index: number, begun: Slot): Promise<pg.Client> => {
    let failure: unknown = new Error("timeout expired");
    const again = (error: unknown) => {
      failure = error;
      if (closed) throw error;
      return (slots[index] ?? begin(index)).client;
    };
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(failure), connectMsMax);
    });
    try {
      return await Promise.race([begun.client.catch(again), late]);
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    next(accountId = null) {
      if (closed) return Promise.reject(new Error("Client was closed"));
      if (accountId === null) nextIndex = (nextIndex + 1) % count;
      const index = accountId === null ? nextIndex : stripeOf(accountId) % count;
      const slot = slots[index];
      if (!slot) return begin(index).client;
      return slot.isOpen ? slot.client : join(index, slot);
    },
    async warmUp(work) {
      if (closed) throw new Error("Client was closed");
      const each = slots.map(async (slot, index) => work(await (slot ?? begin(index)).client));
      try {
        await Promise.all(each);
      } finally {
        warmUp = work;
      }
    },
    async close() {
      closed = true;
      for (const slot of slots) {
        const client = await slot?.client.catch(() => null);
        await client?.end().catch(() => {});
      }
    },
  };
}
