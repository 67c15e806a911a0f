import type { Database } from "../db/database.ts";
import type { Clock } from "../platform/clock.ts";
import type { IdempotencyClaim } from "./claim.ts";
import { inProgress } from "./store.ts";

/** Who has waited so long goes on, and leaves it to the database to say what the other is doing. */
const WAIT_MS_MAX = 2_000;
const WAITING_MAX = 1_000;

const lines = new WeakMap<Database, Map<string, (() => void)[]>>();

/**
 * Requests with one key go one after the other. In the database each would wait for the one before it,
 * and hold a connection meanwhile: sixteen of them would take all that there are for transactions.
 * Gives what the next is let in with; of other processes the database knows.
 */
export async function standInLine(
  deps: { readonly db: Database; readonly clock: Clock },
  { accountId, mode, keyHash }: IdempotencyClaim,
): Promise<() => void> {
  const line = lineOf(deps.db);
  const key = `${accountId} ${mode} ${keyHash.toString("latin1")}`;
  const waiting = line.get(key);
  if (waiting) {
    if (waiting.length >= WAITING_MAX) throw inProgress();
    if (!(await turnIn(deps.clock, waiting))) return () => {};
  } else {
    line.set(key, []);
  }
  return () => {
    const next = line.get(key)?.shift();
    if (next) next();
    else line.delete(key);
  };
}

function lineOf(db: Database): Map<string, (() => void)[]> {
  const known = lines.get(db) ?? new Map<string, (() => void)[]>();
  lines.set(db, known);
  return known;
}

/** Whether the turn came before the time was up. */
function turnIn(clock: Clock, waiting: (() => void)[]): Promise<boolean> {
  return new Promise((resolve) => {
    const goesOn = () => {
      takeBack();
      resolve(true);
    };
    const takeBack = clock.after(WAIT_MS_MAX, () => {
      waiting.splice(waiting.indexOf(goesOn), 1);
      resolve(false);
    });
    waiting.push(goesOn);
  });
}
