import type { EventType, ImportProvider } from "@longwave/contract";
import type { AccountRow } from "../../account/accounts/index.ts";
import type { Actor } from "../../account/audit/index.ts";
import type { Base } from "../../core/base.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { expect } from "../../core/platform/assert.ts";
import { fromApiId, toApiId } from "../../core/platform/ids.ts";
import { addEndpoint } from "../../events/webhooks/index.ts";
import { addPool } from "../../network/numbers/index.ts";
import { openPortRequest } from "../../network/port-requests/index.ts";
import type { Plan, PlannedNumber, PlannedPool } from "./plan.ts";
import { rememberPool } from "./sql.ts";

/** Port requests per commit: a crash loses few of them and repeats none. */
const NUMBERS_PER_COMMIT = 50;

export interface Execution {
  readonly account: AccountRow;
  readonly provider: ImportProvider;
  readonly actor: Actor;
  readonly ip: string;
  /** Called before each step with the number of steps done; throws to stop the run. */
  readonly onStep: (done: number) => Promise<void>;
}

/** Number of steps of a plan. */
export function stepsOf({ numbers, pools, webhooks }: Plan): number {
  return [...numbers, ...pools, ...webhooks].filter(({ action }) => action === "create").length;
}

/**
 * Creates the objects of a plan: pools first, so that numbers know which pool they join. Each commit holds
 * whole objects with their audit entries. Objects that another run has created are left alone.
 */
export async function executePlan(deps: Base, plan: Plan, run: Execution): Promise<Plan> {
  let done = 0;
  const step = async (count: number) => {
    done += count;
    await run.onStep(done);
  };
  const pools: PlannedPool[] = [];
  for (const pool of plan.pools) {
    if (pool.action !== "create") pools.push(pool);
    else {
      pools.push(await deps.db.tx((tx) => makePool(deps, tx, run, pool, plan.numbers)));
      await step(1);
    }
  }
  const toCreate = plan.numbers.filter(({ action }) => action === "create");
  for (let at = 0; at < toCreate.length; at += NUMBERS_PER_COMMIT) {
    const chunk = toCreate.slice(at, at + NUMBERS_PER_COMMIT);
    await deps.db.tx((tx) => askFor(deps, tx, run, chunk, pools));
    await step(chunk.length);
  }
  for (const webhook of plan.webhooks.filter(({ action }) => action === "create")) {
    const { url } = webhook;
    const events = webhook.events as EventType[];
    await deps.db.tx((tx) => addEndpoint(deps, tx, run, { url, events }));
    await step(1);
  }
  return { ...plan, pools };
}

async function makePool(
  deps: Base,
  tx: Tx,
  { account, provider, actor, ip }: Execution,
  pool: PlannedPool,
  numbers: readonly PlannedNumber[],
): Promise<PlannedPool> {
  const id = deps.ids.make();
  const key = [account.shard, account.id, provider, pool.foreignId, id];
  const [mine] = await tx.query(rememberPool, key);
  if (!mine) return { ...pool, action: "exists" };
  const owned = new Set(numbers.flatMap((one) => (one.isOwned && one.phone ? [one.phone] : [])));
  const members = pool.phones.filter((phone) => owned.has(phone));
  const newPool = { id, name: pool.name, numbers: members, mode: null };
  await addPool(deps, tx, account, newPool, { actor, ip });
  return { ...pool, pool_id: toApiId("pool", id) };
}

async function askFor(
  deps: Base,
  tx: Tx,
  { account, provider, actor, ip }: Execution,
  numbers: readonly PlannedNumber[],
  pools: readonly PlannedPool[],
): Promise<void> {
  for (const number of numbers) {
    const phone = expect(number.phone, "a number that is to come over has no digits");
    const poolIds = pools.flatMap((pool) => {
      const id = pool.pool_id === null ? null : fromApiId("pool", pool.pool_id);
      return id !== null && pool.phones.includes(phone) ? [id] : [];
    });
    await openPortRequest(deps, tx, account, { phone, provider, poolIds }, { actor, ip });
  }
}
