import type pg from "pg";
import { assert } from "../platform/assert.ts";

export interface SharedClients {
  /** The next in turn; the same for everything of one account (a UUID), where that is given. */
  next(accountId?: string | null): Promise<pg.Client>;
  /** Opens them all and has each do this once; and so each that is opened later, behind what that was opened for. */
  rehearse(work: Rehearsal): Promise<void>;
  close(): Promise<void>;
}

/** What a connection does once, so that nobody has to wait for what it learns by it. */
export type Rehearsal = (client: pg.Client) => Promise<void>;

/** A connection, or the attempt to make one. */
interface Slot {
  readonly client: Promise<pg.Client>;
  isOpen: boolean;
}

/** Connections opened when first needed and again after they broke, used in turn. */
export function sharedClients(
  Client: typeof pg.Client,
  config: pg.ClientConfig,
  count: number,
): SharedClients {
  const { connectionTimeoutMillis: connectMsMax = 0 } = config;
  assert(connectMsMax > 0, "a connection is given up after some time");
  const slots: (Slot | null)[] = Array.from({ length: count }, () => null);
  let turn = 0;
  let closed = false;
  let rehearsal: Rehearsal | null = null;

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
        // If it fails the next who asks learns the same, or why it cannot be asked.
        setImmediate(() => rehearsal?.(client).catch(() => {}));
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
   * Waits for a connection that others began to make. It may fail of what was over before we came:
   * then another is made, in what is left of the time that ours would have had.
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
      if (accountId === null) turn = (turn + 1) % count;
      const index = accountId === null ? turn : Number.parseInt(accountId.slice(-6), 16) % count;
      const slot = slots[index];
      if (!slot) return begin(index).client;
      return slot.isOpen ? slot.client : join(index, slot);
    },
    async rehearse(work) {
      if (closed) throw new Error("Client was closed");
      const each = slots.map(async (slot, index) => work(await (slot ?? begin(index)).client));
      try {
        await Promise.all(each);
      } finally {
        rehearsal = work;
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
