import type { FailureCode } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import {
  type BisectableQueue,
  bisectFailures,
  isItemFault,
} from "../../core/db/driver/bisect-failures.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import type { OutboundDeps } from "./deps.ts";
import { type Submission, submitAll } from "./submit.ts";
import { txWithSlots, type WindowSlots } from "./window-slots.ts";

/** Failure of a message that the service itself could not process; the log has the cause. */
export const UNPROCESSABLE: FailureCode = "carrier_unavailable";

/** `bisectFailures` for the due items of a lane, with its failures logged. */
export function bisectDue(
  { log }: Pick<Base, "log">,
  countMax: number,
  queue: Pick<BisectableQueue, "process" | "quarantine">,
): Promise<number> {
  return bisectFailures(countMax, {
    ...queue,
    isItemFault,
    onFailure(err, count) {
      if (count === 1) log.error({ err }, "lanes: due item failed and was quarantined");
      else log.warn({ err, count }, "lanes: due items failed together, bisecting");
    },
  });
}

/** Rows of a lane's table, each of which can be processed alone. */
export interface DueRows<Row> {
  /** Locks up to `rowsMax` rows, those that fell due first. */
  claim(tx: Tx, rowsMax: number): Promise<readonly Row[]>;
  /** Writes everything that the rows cause; returns the messages to submit after the commit. */
  process(tx: Tx, rows: readonly Row[], slots: WindowSlots): Promise<Submission[]>;
  /** Stores the failure of a row that fails even alone. */
  quarantine(tx: Tx, row: Row): Promise<void>;
}

export function processDueRows<Row extends { readonly id: string }>(
  deps: OutboundDeps,
  rowsMax: number,
  due: DueRows<Row>,
): Promise<number> {
  let first: Row | undefined;
  return bisectDue(deps, rowsMax, {
    async process(countMax, claimed) {
      const submissions = await txWithSlots(deps, async (tx, slots) => {
        const rows = await due.claim(tx, countMax);
        [first] = rows;
        claimed(rows.length);
        return due.process(tx, rows, slots);
      });
      await submitAll(deps, submissions);
    },
    quarantine: () =>
      deps.db.tx(async (tx) => {
        const [row] = await due.claim(tx, 1);
        // Another process may have claimed it meanwhile.
        if (row !== undefined && row.id === first?.id) await due.quarantine(tx, row);
      }),
  });
}
