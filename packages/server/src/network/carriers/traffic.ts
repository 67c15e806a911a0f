import type { Base } from "../base.ts";
import { addTraffic, forgetTraffic } from "./traffic-sql.ts";

const FLUSH_MS = 1_000;

interface Counts {
  accepted: number;
  /** Receipts that were asked for with what was accepted. */
  expected: number;
  receipts: number;
}

/** What goes over the links, added up for all processes. Counting costs nothing; a second's counts are one call. */
export interface CarrierTraffic {
  accepted(carrier: string, receiptsExpected: number): void;
  receipt(carrier: string): void;
  /** Writes what is counted. */
  close(): Promise<void>;
}

type Deps = Pick<Base, "db" | "clock" | "log">;

export function createCarrierTraffic(deps: Deps): CarrierTraffic {
  let counts = new Map<string, Counts>();
  let cancel: (() => void) | null = null;
  let writing: Promise<void> = Promise.resolve();
  const flush = () => {
    cancel?.();
    cancel = null;
    const counted = counts;
    counts = new Map();
    if (counted.size > 0) writing = writing.then(() => write(deps, counted));
    return writing;
  };
  const of = (carrier: string): Counts => {
    const known = counts.get(carrier);
    if (known) return known;
    const fresh = { accepted: 0, expected: 0, receipts: 0 };
    counts.set(carrier, fresh);
    // While the database is slow everything is counted on: what waits is one call, however long that takes.
    cancel ??= deps.clock.after(FLUSH_MS, () => void writing.then(flush));
    return fresh;
  };
  return {
    accepted(carrier, receiptsExpected) {
      const row = of(carrier);
      row.accepted += 1;
      row.expected += receiptsExpected;
    },
    receipt(carrier) {
      of(carrier).receipts += 1;
    },
    close: flush,
  };
}

/** What cannot be written is not missed: nothing but a picture hangs on it. */
async function write({ db, log }: Deps, counted: ReadonlyMap<string, Counts>): Promise<void> {
  const names = [...counted.keys()];
  const rows = [...counted.values()];
  try {
    await db.query(addTraffic, [
      names,
      rows.map((row) => row.accepted),
      rows.map((row) => row.expected),
      rows.map((row) => row.receipts),
    ]);
    await db.query(forgetTraffic, [names]);
  } catch (error) {
    log.warn({ err: error }, "what went over the links was not written down");
  }
}
