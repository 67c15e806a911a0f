import type { Base, Owner } from "../../core/base.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { notify } from "../../core/db/driver/notifications.ts";
import { LANES } from "../../core/queue/lane-names.ts";
import type { LedgerOwner } from "../../people/consent/index.ts";
import {
  claimResumeRequests,
  deleteResumeRequests,
  findRunning,
  insertResumeRequests,
  resumeByAutomation,
  resumeByPhones,
} from "./sql.ts";

const REQUESTS_PER_CHUNK_MAX = 100;
const RUNS_PER_CHUNK_MAX = 1_000;

interface RequestRow {
  readonly account_id: string;
  readonly id: string;
  readonly phone_number: string | null;
  readonly automation_id: string | null;
}

/**
 * Requests that the runs of people who have just opted out resume, and so end.
 *
 * The lane resumes them rather than this transaction, to keep the lock order: runs lock themselves before their
 * account, and an opt-out has locked the account already. Phones without a run get no request, because
 * opt-out lists are long and each row costs the lane a read and a delete. A run that starts concurrently,
 * invisible to this transaction, ends at its own next step.
 */
export async function resumeRunsOfPhones(
  deps: Pick<Base, "clock" | "ids">,
  tx: Tx,
  owner: LedgerOwner,
  phones: readonly string[],
): Promise<void> {
  const values = [owner.shard, owner.accountId, phones, owner.mode];
  const running = await tx.query<{ phone_number: string }>(findRunning, values);
  if (running.length > 0) await write(deps, tx, owner, running);
}

/** Requests that all runs of a resumed or deleted automation resume. */
export function resumeRunsOfAutomation(
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
  requests: readonly object[],
): Promise<void> {
  const now = deps.clock.now();
  const rows = requests.map((request) => ({ ...request, id: deps.ids.makeAt(now) }));
  await tx.query(insertResumeRequests, [shard, accountId, JSON.stringify(rows), new Date(now)]);
  await notify(tx, "longwave_work", LANES.runs);
}

/** Makes a bounded number of runs due; returns how many requests it processed. */
export async function resumeSome(deps: Pick<Base, "clock" | "db">, shard: number): Promise<number> {
  return deps.db.tx(async (tx) => {
    const now = new Date(deps.clock.now());
    const requests = await tx.query<RequestRow>(claimResumeRequests, [
      shard,
      now,
      REQUESTS_PER_CHUNK_MAX,
    ]);
    if (requests.length === 0) return 0;
    const phones = requests.filter((request) => request.phone_number !== null);
    const accounts = phones.map((request) => request.account_id);
    const numbers = phones.map((request) => request.phone_number);
    if (phones.length > 0) await tx.query(resumeByPhones, [shard, accounts, numbers, now]);
    const done = phones.map((request) => request.id);
    for (const { id, automation_id } of requests) {
      if (automation_id === null) continue;
      const values = [shard, automation_id, now, RUNS_PER_CHUNK_MAX];
      const resumed = await tx.query(resumeByAutomation, values);
      if (resumed.length < RUNS_PER_CHUNK_MAX) done.push(id);
    }
    await tx.query(deleteResumeRequests, [shard, done]);
    return requests.length;
  });
}
