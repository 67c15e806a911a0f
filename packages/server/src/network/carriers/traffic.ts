import type { Base } from "../../core/base.ts";
import { addTraffic, forgetTraffic } from "./traffic-sql.ts";

const FLUSH_MS = 1_000;

interface Counts {
  accepted: number;
  /** Receipts requested with the accepted messages. */
  expected: number;
  receipts: number;
}

/**
 * Traffic per carrier, summed over all processes. Counts are kept in memory and written once a
 * second.
 */
export interface CarrierTraffic {
  accepted(carrier: string, receiptsExpected: number): void;
  receipt(carrier: string): void;
  /** Writes the pending counts. */
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
    // While the database is slow, counting continues in memory: the backlog is one call, however
    // large.
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

/** Drops counts that cannot be written: only the operator's chart depends on them. */
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
    log.warn({ err: error }, "carriers: traffic counts not written");
  }
}
