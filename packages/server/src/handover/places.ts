import type { Carrier, Carriers } from "../carriers/index.ts";
import type { Database, Tx } from "../db/database.ts";

/**
 * Places in the windows of carriers' links, held by a piece of work until it is committed. From then
 * on each belongs to its text, whose submit fills it. Work that fails, or is tried again, gives all
 * of them back. Nobody else reserves or releases a place.
 */
export interface Places {
  /** A link for this number with one place of its window; null when none has one now. */
  take(from: string): Carrier | null;
  /** Takes a place ahead for the one text of a request; a busy link is waited for, briefly. */
  takeSoon(from: string): Promise<void>;
  /** Takes up to so many places for texts of a batch from this number that are still to come. */
  takeAhead(from: string, count: number): number;
  /** The text that was to go into this place does not leave after all. */
  giveBack(carrier: Carrier): void;
  giveBackAll(): void;
}

/** For texts that wait for the dispatcher, whatever place there may be. */
export const NO_PLACES: Places = {
  take: () => null,
  takeSoon: async () => {},
  takeAhead: () => 0,
  giveBack: () => {},
  giveBackAll: () => {},
};

/** Runs work that is committed once it is done: what it took then belongs to its texts. */
export async function withPlaces<T>(
  carriers: Carriers,
  work: (places: Places) => Promise<T>,
): Promise<T> {
  const taken: Carrier[] = [];
  const ahead: Carrier[] = [];
  const releaseAll = (list: Carrier[]) => {
    for (const carrier of list.splice(0)) carrier.release(1);
  };
  const places: Places = {
    take(from) {
      const carrier = ahead.pop() ?? carriers.reserve(from, "somebody");
      if (carrier) taken.push(carrier);
      return carrier;
    },
    async takeSoon(from) {
      const carrier = await carriers.reserveSoon(from);
      if (carrier) ahead.push(carrier);
    },
    takeAhead(from, count) {
      let places = 0;
      for (; places < count; places += 1) {
        const carrier = carriers.reserve(from, "batch");
        if (!carrier) break;
        ahead.push(carrier);
      }
      return places;
    },
    giveBack(carrier) {
      const index = taken.indexOf(carrier);
      if (index === -1) return;
      taken.splice(index, 1);
      carrier.release(1);
    },
    giveBackAll() {
      releaseAll(ahead);
      releaseAll(taken);
    },
  };
  try {
    const done = await work(places);
    releaseAll(ahead);
    return done;
  } catch (error) {
    places.giveBackAll();
    throw error;
  }
}

/** The same for a transaction, which may be run again: each try begins without places. */
export function txWithPlaces<T>(
  deps: { readonly db: Database; readonly carriers: Carriers },
  work: (tx: Tx, places: Places) => Promise<T>,
): Promise<T> {
  return withPlaces(deps.carriers, (places) =>
    deps.db.tx((tx) => {
      places.giveBackAll();
      return work(tx, places);
    }),
  );
}
