import type { Carrier } from "../carriers/index.ts";
import type { Tx } from "../db/database.ts";
import { handOver } from "../handover/index.ts";
import { earliestDue, shardsDueNow } from "../queue/due-shards.ts";
import type { Lane } from "../queue/lane.ts";
import type { BatchesDeps as Deps } from "./deps.ts";
import { BATCHES_LANE, batchesDue, claimDueBatch, findReleasable, releaseHeld } from "./sql.ts";
import { type DueBatch, type HandOver, takeTurn } from "./turn.ts";

/**
 * Batches that have something to do, each for one short turn, then to the end of the line. Accounts
 * take turns, so nobody waits for the batches of another, and no transaction is long.
 */
export const batchesLane: Lane<Deps> = {
  name: BATCHES_LANE,
  // A turn of a live batch lasts until the carrier has answered; others go on meanwhile.
  loops: 4,
  async nextDueAt(deps) {
    const held = await deps.db.query<Releasable>(findReleasable, []);
    const dueAt = await earliestDue(deps, batchesDue);
    const all = [...held.map((one) => one.due_at), ...(dueAt === null ? [] : [dueAt])];
    return all.length === 0 ? null : Math.min(...all);
  },
  waitingSince: (deps) => earliestDue(deps, batchesDue),
  async runDue(deps) {
    let done = 0;
    for (const shard of await shardsDueNow(deps, batchesDue)) done += await runTurn(deps, shard);
    return done > 0 ? done : releaseSome(deps);
  },
};

interface Releasable {
  readonly shard: number;
  readonly due_at: number;
}

/** Batches of accounts that are active again go on. */
async function releaseSome(deps: Deps): Promise<number> {
  let released = 0;
  for (const { shard } of await deps.db.query<Releasable>(findReleasable, [])) {
    released += (await deps.db.query(releaseHeld, [shard])).length;
  }
  return released;
}

async function runTurn(deps: Deps, shard: number): Promise<number> {
  const reserved: Carrier[] = [];
  const giveBack = () => {
    for (const carrier of reserved.splice(0)) carrier.release(1);
  };
  let end = () => {};
  try {
    const handOvers = await deps.db.tx(async (tx) => {
      giveBack();
      end();
      const now = deps.clock.now();
      const batch = await claim(deps, tx, shard, now);
      if (!batch) return null;
      end = deps.batchTurns.begin(batch.account_id);
      return takeTurn(deps, tx, batch, reserved, now);
    });
    if (handOvers === null) return 0;
    // The turn is written; while the carriers answer, the account may have another.
    end();
    reserved.length = 0;
    await Promise.all(handOvers.map((one) => handOverOne(deps, one)));
    return 1;
  } finally {
    end();
    giveBack();
  }
}

async function claim(
  deps: Deps,
  tx: Tx,
  shard: number,
  now: number,
): Promise<DueBatch | undefined> {
  const { accounts, turns } = deps.batchTurns.served();
  const values = [shard, new Date(now), accounts, turns, deps.batchTurns.busy()];
  const [batch] = await tx.query<DueBatch>(claimDueBatch, values);
  return batch;
}

/** A text whose outcome could not be written down is decided later, like any unknown one. */
async function handOverOne(deps: Deps, { carrier, row }: HandOver): Promise<void> {
  try {
    await handOver(deps, carrier, row, null);
  } catch (error) {
    deps.log.error({ err: error, message_id: row.id }, "a hand-over failed");
  }
}
