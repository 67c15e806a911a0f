import type { FailureCode } from "@longwave/contract";
import type { Base } from "../base.ts";
import type { Tx } from "../db/database.ts";
import { isRetryable, isUnavailable } from "../db/failures.ts";
import type { HandoverDeps } from "./deps.ts";
import { type HandOver, handOverAll } from "./hand-over.ts";
import { type Places, txWithPlaces } from "./places.ts";

/** Why a text failed that the service itself could not deal with; the log says what the matter is. */
export const NOT_DEALT_WITH: FailureCode = "carrier_unavailable";

/** What a lane does about things that fell due together, as many at a time as it is told. */
export interface DueTogether {
  /** Claims up to so many and deals with them in one transaction; says how many it has in hand. */
  dealWith(countMax: number, inHand: (count: number) => void): Promise<HandOver[]>;
  /** Nothing could be done about the one that was last in hand: it fails, or waits aside. */
  setAside(): Promise<void>;
}

/**
 * Deals with what fell due together, hands its texts over, and answers how many they were. One that
 * cannot be dealt with must not hold up the others: what fails is halved until the cause stands alone.
 */
export async function inHalves(
  deps: HandoverDeps,
  countMax: number,
  due: DueTogether,
): Promise<number> {
  let count = 0;
  let handOvers: HandOver[];
  try {
    handOvers = await due.dealWith(countMax, (claimed) => {
      count = claimed;
    });
  } catch (error) {
    // The database is away, or busy with others: that is nobody's fault here.
    if (count === 0 || isUnavailable(error) || isRetryable(error)) throw error;
    logFailure(deps, count, error);
    if (count === 1) {
      await due.setAside();
      return 1;
    }
    const half = Math.ceil(count / 2);
    const done = await inHalves(deps, half, due);
    return done + (await inHalves(deps, count - half, due));
  }
  await handOverAll(deps, handOvers);
  return count;
}

function logFailure({ log }: Pick<Base, "log">, count: number, error: unknown): void {
  if (count === 1) log.error({ err: error }, "one that was due could not be dealt with");
  else log.warn({ err: error, count }, "what fell due together failed; it is tried apart");
}

/** Rows of a lane's table, each of which can be dealt with alone. */
export interface DueRows<Row> {
  /** Locks up to so many, those that fell due first. */
  claim(tx: Tx, rowsMax: number): Promise<readonly Row[]>;
  /** All that is written about them; answers what is left to hand over. */
  dealWith(tx: Tx, rows: readonly Row[], places: Places): Promise<HandOver[]>;
  /** Writes down that this one failed. */
  fail(tx: Tx, row: Row): Promise<void>;
}

export function dueRowsInHalves<Row extends { readonly id: string }>(
  deps: HandoverDeps,
  rowsMax: number,
  due: DueRows<Row>,
): Promise<number> {
  let first: Row | undefined;
  return inHalves(deps, rowsMax, {
    dealWith: (countMax, inHand) =>
      txWithPlaces(deps, async (tx, places) => {
        const rows = await due.claim(tx, countMax);
        [first] = rows;
        inHand(rows.length);
        return due.dealWith(tx, rows, places);
      }),
    setAside: () =>
      deps.db.tx(async (tx) => {
        const [row] = await due.claim(tx, 1);
        // Somebody else may have it in hand by now.
        if (row !== undefined && row.id === first?.id) await due.fail(tx, row);
      }),
  });
}
