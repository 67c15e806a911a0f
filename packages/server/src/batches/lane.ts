import { valuesOf } from "../carriers/index.ts";
import type { Tx } from "../db/database.ts";
import { handOverAll, txWithPlaces } from "../handover/index.ts";
import { earliestDue, shardsDueNow } from "../queue/due-shards.ts";
import type { Lane } from "../queue/lane.ts";
import { LANES } from "../queue/lane-names.ts";
import type { BatchesDeps } from "./deps.ts";
import { batchesDue, claimDueBatch, findReleasable, releaseHeld } from "./sql.ts";
import { type DueBatch, takeTurn } from "./turn.ts";

/**
 * Batches that have something to do, each for one short turn, then to the end of the line. Accounts
 * take turns, so nobody waits for the batches of another, and no transaction is long.
 */
export const batchesLane: Lane<BatchesDeps> = {
  name: LANES.batches,
  // A turn of a live batch lasts until the carrier has answered, or is slow; others go on meanwhile.
  loops: 4,
  nextDueAt: (deps) => nextDueAt(deps),
  waitingSince: (deps) => earliestDue(deps, batchesDue),
  nextFreeAt: (deps) => nextDueAt(deps),
  async runDue(deps) {
    let done = 0;
    for (const shard of await shardsDueNow(deps, batchesDue)) done += await runTurn(deps, shard);
    return done > 0 ? done : releaseSome(deps);
  },
};

async function nextDueAt(deps: BatchesDeps): Promise<number | null> {
  const held = await deps.db.query<Releasable>(findReleasable, []);
  const dueAt = await earliestDue(deps, batchesDue);
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

async function runTurn(deps: BatchesDeps, shard: number): Promise<number> {
  let end = () => {};
  try {
    const handOvers = await txWithPlaces(deps, async (tx, places) => {
      end();
      const now = deps.clock.now();
      const batch = await claim(deps, tx, shard, now);
      if (!batch) return null;
      end = deps.batchTurns.begin(batch.account_id);
      return takeTurn(deps, tx, batch, places, now);
    });
    if (handOvers === null) return 0;
    // The turn is written; while the carriers answer, the account may have another.
    end();
    await handOverAll(deps, handOvers);
    return 1;
  } finally {
    end();
  }
}

async function claim(
  deps: BatchesDeps,
  tx: Tx,
  shard: number,
  now: number,
): Promise<DueBatch | undefined> {
  const { accounts, turns } = deps.batchTurns.served();
  // Live texts of a number are handed over where its link is, and when that has room for many.
  const notNow = valuesOf(deps.carriers.notNow());
  const values = [shard, new Date(now), accounts, turns, deps.batchTurns.busy(), ...notNow];
  const [batch] = await tx.query<DueBatch>(claimDueBatch, values);
  return batch;
}
