import type { Base, Owner } from "../base.ts";
import type { Tx } from "../db/database.ts";
import { notify } from "../db/notifications.ts";
import { LANES } from "../queue/lane-names.ts";
import {
  claimWakes,
  deleteWakes,
  findRunning,
  insertWakes,
  wakeByAutomation,
  wakeByPhones,
} from "./sql.ts";

const WAKES_PER_CHUNK_MAX = 100;
const RUNS_PER_CHUNK_MAX = 1_000;

interface WakeRow {
  readonly account_id: string;
  readonly id: string;
  readonly phone_number: string | null;
  readonly automation_id: string | null;
}

/**
 * Runs of people who have just opted out get a turn, in which they end. It is written down and done
 * by the lane: whoever opts out holds the account's lock, which runs take after their own. Nothing is
 * written for those who have no run: lists of opt-outs are long, and each row would be one for the lane
 * to find, to look up and to delete. A run that starts at the same moment, unseen by this transaction,
 * ends in its own next turn.
 */
export async function wakeRunsOfPhones(
  deps: Pick<Base, "clock" | "ids">,
  tx: Tx,
  owner: Owner,
  phones: readonly string[],
): Promise<void> {
  const values = [owner.shard, owner.accountId, phones];
  const running = await tx.query<{ phone_number: string }>(findRunning, values);
  if (running.length > 0) await write(deps, tx, owner, running);
}

/** The same for the runs of an automation that was resumed or deleted, however many there are. */
export function wakeRunsOfAutomation(
  deps: Pick<Base, "clock" | "ids">,
  tx: Tx,
  owner: Owner,
  automationId: string,
): Promise<void> {
  return write(deps, tx, owner, [{ automation_id: automationId }]);
}

async function write(
  deps: Pick<Base, "clock" | "ids">,
  tx: Tx,
  { shard, accountId }: Owner,
  wakes: readonly object[],
): Promise<void> {
  const now = deps.clock.now();
  const rows = wakes.map((wake) => ({ ...wake, id: deps.ids.makeAt(now) }));
  await tx.query(insertWakes, [shard, accountId, JSON.stringify(rows), new Date(now)]);
  await notify(tx, "longwave_work", LANES.runs);
}

/** Wakes a bounded number of runs; answers how many wakes it looked at. */
export async function wakeSome(deps: Pick<Base, "clock" | "db">, shard: number): Promise<number> {
  return deps.db.tx(async (tx) => {
    const now = new Date(deps.clock.now());
    const wakes = await tx.query<WakeRow>(claimWakes, [shard, now, WAKES_PER_CHUNK_MAX]);
    if (wakes.length === 0) return 0;
    const phones = wakes.filter((wake) => wake.phone_number !== null);
    const accounts = phones.map((wake) => wake.account_id);
    const numbers = phones.map((wake) => wake.phone_number);
    if (phones.length > 0) await tx.query(wakeByPhones, [shard, accounts, numbers, now]);
    const done = phones.map((wake) => wake.id);
    for (const { id, automation_id } of wakes) {
      if (automation_id === null) continue;
      const values = [shard, automation_id, now, RUNS_PER_CHUNK_MAX];
      const woken = await tx.query(wakeByAutomation, values);
      if (woken.length < RUNS_PER_CHUNK_MAX) done.push(id);
    }
    await tx.query(deleteWakes, [shard, done]);
    return wakes.length;
  });
}
