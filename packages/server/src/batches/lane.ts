import { valuesOf } from "../carriers/index.ts";
import type { Tx } from "../db/database.ts";
import { type HandOver, inHalves, txWithPlaces, withPlaces } from "../handover/index.ts";
import { earliestDue, type Lane, shardsDueNow } from "../queue/lane.ts";
import { LANES } from "../queue/lane-names.ts";
import type { BatchesDeps } from "./deps.ts";
import { ROWS_PER_TURN_MAX } from "./pace.ts";
import {
  batchesDue,
  batchesFree,
  claimDueBatch,
  claimThisBatch,
  findReleasable,
  readDueBatch,
  releaseHeld,
} from "./sql.ts";
import { type DueBatch, failNext, type TurnLimit, takeTurn } from "./turn.ts";
import { isTakenAtOnce, takeTurnInFlight } from "./turn-at-once.ts";

/**
 * Batches that have something to do, each for one short turn, then to the end of the line. Accounts
 * take turns, so nobody waits for the batches of another, and no transaction is long.
 */
export const batchesLane: Lane<BatchesDeps> = {
  name: LANES.batches,
  // A turn of a live batch lasts until the carrier has answered, or is slow; others go on meanwhile.
  loops: 4,
  nextDueAt: (deps) => orReleasable(deps, earliestDue(deps, batchesDue)),
  waitingSince: (deps) => earliestDue(deps, batchesDue),
  // A batch that sends is due all the time: who is woken for one that has to wait looks in vain.
  nextFreeAt: (deps) => orReleasable(deps, earliestDue(deps, batchesFree, notNowValues(deps))),
  async runDue(deps) {
    let done = 0;
    for (const shard of await shardsDueNow(deps, batchesDue)) done += await runTurn(deps, shard);
    // Who has a turn in hand looks again after it.
    return done > 0 || deps.batchTurns.busy().length > 0 ? done : releaseSome(deps);
  },
};

async function orReleasable(
  deps: BatchesDeps,
  due: Promise<number | null>,
): Promise<number | null> {
  const [held, dueAt] = await Promise.all([deps.db.query<Releasable>(findReleasable, []), due]);
  const all = [...held.map((one) => one.due_at), ...(dueAt === null ? [] : [dueAt])];
  return all.length === 0 ? null : Math.min(...all);
}

interface Releasable {
  readonly shard: number;
  readonly due_at: number;
}

/** Batches of accounts that are active again go on. */
async function releaseSome(deps: BatchesDeps): Promise<number> {
  let released = 0;
  for (const { shard } of await deps.db.query<Releasable>(findReleasable, [])) {
    released += (await deps.db.query(releaseHeld, [shard])).length;
  }
  return released;
}

/** A recipient whom nothing can be written for holds up none of the batch's others. */
async function runTurn(deps: BatchesDeps, shard: number): Promise<number> {
  let batch: DueBatch | null = null;
  let end = () => {};
  const begin = (begun: DueBatch) => {
    batch = begun;
    end();
    end = deps.batchTurns.begin(begun.account_id);
  };
  await inHalves(deps, ROWS_PER_TURN_MAX, {
    async dealWith(rowsMax, inHand) {
      const failed = batch;
      try {
        const flown = failed ? null : await flyTurn(deps, shard, { rowsMax, inHand }, begin);
        if (flown) return flown;
        return await txWithPlaces(deps, async (tx, places) => {
          end();
          batch = failed;
          const now = deps.clock.now();
          const claimed = await claim(deps, tx, shard, failed, now);
          if (!claimed) return [];
          begin(claimed);
          return await takeTurn(deps, tx, claimed, places, { rowsMax, inHand }, now);
        });
      } finally {
        // The turn is written; while the carriers answer, the account may have another.
        end();
        if (batch?.mode === "live") deps.wakes.wake(LANES.batches);
      }
    },
    setAside: () =>
      deps.db.tx(async (tx) => {
        if (batch) await failNext(deps, tx, batch, deps.clock.now());
      }),
  });
  return batch === null ? 0 : 1;
}

/** The turn of the batch whose turn it is, if it is one that needs no transaction of several round trips. */
async function flyTurn(
  deps: BatchesDeps,
  shard: number,
  limit: TurnLimit,
  begin: (batch: DueBatch) => void,
): Promise<HandOver[] | null> {
  // Where no text leaves, no turn does.
  if (deps.carriers.all().length === 0) return null;
  const now = deps.clock.now();
  let batch: DueBatch | undefined;
  do {
    [batch] = await deps.db.query<DueBatch>(readDueBatch, dueValues(deps, shard, now));
    if (!batch) return [];
    // Another loop may have begun it since; then the next one is read, at most once for each loop.
  } while (deps.batchTurns.busy().includes(batch.account_id));
  if (!isTakenAtOnce(deps, batch)) return null;
  begin(batch);
  return withPlaces(deps.carriers, async (places) => {
    const handOvers = await takeTurnInFlight(deps, batch, places, limit, now);
    if (handOvers === null) places.giveBackAll();
    return handOvers;
  });
}

/** The batch whose turn it is; the one whose turn failed, if one did. */
async function claim(
  deps: BatchesDeps,
  tx: Tx,
  shard: number,
  failed: DueBatch | null,
  now: number,
): Promise<DueBatch | undefined> {
  const values = dueValues(deps, shard, now);
  const [batch] = failed
    ? await tx.query<DueBatch>(claimThisBatch, [...values, failed.id])
    : await tx.query<DueBatch>(claimDueBatch, values);
  return batch;
}

function dueValues(deps: BatchesDeps, shard: number, now: number): unknown[] {
  const { accounts, turns } = deps.batchTurns.served();
  return [shard, new Date(now), accounts, turns, ...notNowValues(deps)];
}

/** Accounts that have a turn, and numbers: live texts are handed over where the link is, and when that has room for many. */
function notNowValues(deps: BatchesDeps): unknown[] {
  return [deps.batchTurns.busy(), ...valuesOf(deps.carriers.notNow())];
}
