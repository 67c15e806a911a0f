import type pg from "pg";

export interface SharedClients {
  /** The next in turn; the same for everything of one account (a UUID), where that is given. */
  next(accountId?: string | null): Promise<pg.Client>;
  close(): Promise<void>;
}

/** Connections opened when first needed and again after they broke, used in turn. */
export function sharedClients(
  Client: typeof pg.Client,
  config: pg.ClientConfig,
  count: number,
): SharedClients {
  const slots: (Promise<pg.Client> | null)[] = Array.from({ length: count }, () => null);
  let turn = 0;
  let closed = false;

  const open = async (slot: number): Promise<pg.Client> => {
    const client = new Client({ ...config, pipeline: true } as pg.ClientConfig);
    const forget = () => {
      if (slots[slot] === mine) slots[slot] = null;
    };
    const mine = slots[slot];
    client.on("error", forget);
    client.on("end", forget);
    try {
      await client.connect();
      return client;
    } catch (error) {
      slots[slot] = null;
      throw error;
    }
  };
  return {
    next(accountId = null) {
      if (closed) return Promise.reject(new Error("Client was closed"));
      if (accountId === null) turn = (turn + 1) % count;
      const slot = accountId === null ? turn : Number.parseInt(accountId.slice(-6), 16) % count;
      slots[slot] ??= Promise.resolve().then(() => open(slot));
      return slots[slot] as Promise<pg.Client>;
    },
    async close() {
      closed = true;
      for (const slot of slots) {
        const client = await slot?.catch(() => null);
        await client?.end().catch(() => {});
      }
    },
  };
}
