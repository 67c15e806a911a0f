import type { Database, Tx } from "../../core/db/driver/database.ts";
import type { Carrier, Carriers } from "../../network/carriers/index.ts";

/**
 * Window slots that a piece of work has reserved until it commits.
 *
 * After the commit each slot belongs to its message, whose submit fills it. Failed or retried work releases all of
 * its slots. No other code reserves or releases slots.
 */
export interface WindowSlots {
  /**
   * Reserves one slot on a bind for this number and recipient; null when every window is full.
   * Prefers other carriers to the one that failed the last attempt.
   */
  reserve(from: string, to: string, failedCarrier?: string | null): Carrier | null;
  /** Reserves one slot in advance for a request's single message; waits briefly for a busy bind. */
  reserveSoon(from: string, to: string): Promise<void>;
  /** Reserves up to `count` slots in advance for messages of a batch; returns how many it got. */
  reserveMany(from: string, count: number): number;
  /** Releases the slot of a message that is not sent after all. */
  release(carrier: Carrier): void;
  releaseAll(): void;
}

/** Reserves nothing: every message waits for the dispatcher. */
export const NO_SLOTS: WindowSlots = {
  reserve: () => null,
  reserveSoon: async () => {},
  reserveMany: () => 0,
  release: () => {},
  releaseAll: () => {},
};

/** Runs work that commits before it returns. The messages keep their slots; unused slots are released. */
export async function withSlots<T>(
  carriers: Carriers,
  work: (slots: WindowSlots) => Promise<T>,
): Promise<T> {
  const taken: Carrier[] = [];
  const ahead: Carrier[] = [];
  const releaseAll = (list: Carrier[]) => {
    for (const carrier of list.splice(0)) carrier.release(1);
  };
  const slots: WindowSlots = {
    reserve(from, to, failedCarrier = null) {
      const last = ahead.findLastIndex((one) => carriers.carries(one, from, to));
      const [reserved] = last === -1 ? [] : ahead.splice(last, 1);
      const carrier = reserved ?? carriers.reserve(from, "single", to, failedCarrier);
      if (carrier) taken.push(carrier);
      return carrier;
    },
    async reserveSoon(from, to) {
      const carrier = await carriers.reserveSoon(from, to);
      if (carrier) ahead.push(carrier);
    },
    reserveMany(from, count) {
      let slots = 0;
      for (; slots < count; slots += 1) {
        const carrier = carriers.reserve(from, "batch");
        if (!carrier) break;
        ahead.push(carrier);
      }
      return slots;
    },
    release(carrier) {
      const index = taken.indexOf(carrier);
      if (index === -1) return;
      taken.splice(index, 1);
      carrier.release(1);
    },
    releaseAll() {
      releaseAll(ahead);
      releaseAll(taken);
    },
  };
  try {
    const done = await work(slots);
    releaseAll(ahead);
    return done;
  } catch (error) {
    slots.releaseAll();
    throw error;
  }
}

/** Like `withSlots`, in a transaction. A retried transaction starts without slots. */
export function txWithSlots<T>(
  deps: { readonly db: Database; readonly carriers: Carriers },
  work: (tx: Tx, slots: WindowSlots) => Promise<T>,
): Promise<T> {
  return withSlots(deps.carriers, (slots) =>
    deps.db.tx((tx) => {
      slots.releaseAll();
      return work(tx, slots);
    }),
  );
}
