import {
  AUTOMATIONS_MAX,
  type Automation,
  type AutomationStep,
  Problem,
  type RouteInput,
} from "@longwave/contract";
import { type AccountRow, type Principal, recordBy } from "../accounts/index.ts";
import type { Context } from "../api/handler.ts";
import { changesBetween } from "../audit/index.ts";
import { readFilter } from "../contacts/index.ts";
import type { Tx } from "../db/database.ts";
import { notify } from "../db/notifications.ts";
import { toApiId } from "../platform/ids.ts";
import type { AutomationsDeps } from "./deps.ts";
import { automationOf, lockAutomationOf } from "./find.ts";
import { presentAutomation } from "./present.ts";
import { readSteps } from "./read-steps.ts";
import type { AutomationRow } from "./run-row.ts";
import {
  changeAutomation,
  countAutomations,
  deleteAutomation,
  insertAutomation,
  insertVersion,
  pauseAutomation,
  resumeAutomation,
} from "./sql.ts";
import { wakeRunsOfAutomation } from "./wakes.ts";

type Asked = Context<Principal, AutomationsDeps>;
type Trigger = AutomationRow["trigger"];

export async function create(
  context: Asked,
  input: RouteInput<"automations.create">["body"],
): Promise<{ status: 201; body: Automation }> {
  const { deps, caller } = context;
  const { account, mode } = caller;
  const trigger = await readTrigger(deps, account, input.trigger);
  const steps = await readSteps(deps, account, mode, input.steps);
  return context.transact(async (tx) => {
    await checkRoom(tx, account);
    const now = deps.clock.now();
    const id = deps.ids.makeAt(now);
    const owner = [account.shard, account.id, id];
    await tx.query(insertAutomation, [...owner, input.name, mode, trigger.event, new Date(now)]);
    const version = { version: 1, trigger, steps, reentry: input.reentry ?? "one_at_a_time" };
    await writeVersion(tx, owner, version, now);
    await recordBy(context, tx, "automation.created", toApiId("automation", id), {
      name: input.name,
    });
    await notify(tx, "longwave_cache", account.id);
    const made = await lockAutomationOf(tx, account, toApiId("automation", id));
    return { status: 201, body: presentAutomation(made) };
  });
}

/** A changed trigger, list of steps or rule of re-entry is a new version; runs keep theirs. */
export async function update(
  context: Asked,
  id: string,
  input: RouteInput<"automations.update">["body"],
): Promise<{ status: 200; body: Automation }> {
  const { deps, caller } = context;
  const { account } = caller;
  const known = await automationOf(deps.db, account, id);
  const trigger = input.trigger && (await readTrigger(deps, account, input.trigger));
  const steps = input.steps && (await readSteps(deps, account, known.mode, input.steps));
  return context.transact(async (tx) => {
    const before = await lockAutomationOf(tx, account, id);
    const next = {
      ...before,
      name: input.name ?? before.name,
      trigger: trigger ?? before.trigger,
      steps: steps ?? before.steps,
      reentry: input.reentry ?? before.reentry,
      status: input.status ?? before.status,
    };
    const changes = changesBetween(presentAutomation(before), presentAutomation(next));
    if (changes === null) return { status: 200, body: presentAutomation(before) };
    const now = deps.clock.now();
    const owner = [account.shard, account.id, before.id];
    const isNewVersion = "trigger" in changes || "steps" in changes || "reentry" in changes;
    const version = before.version + (isNewVersion ? 1 : 0);
    if (isNewVersion) await writeVersion(tx, owner, { ...next, version }, now);
    const { name, trigger: starts } = next;
    await tx.query(changeAutomation, [...owner, name, starts.event, version, new Date(now)]);
    await move(deps, tx, before, next.status);
    await recordBy(context, tx, "automation.updated", id, changes);
    await notify(tx, "longwave_cache", account.id);
    const after = await lockAutomationOf(tx, account, id);
    return { status: 200, body: presentAutomation(after) };
  });
}

async function move(
  deps: AutomationsDeps,
  tx: Tx,
  { shard, account_id, id, status }: AutomationRow,
  wanted: AutomationRow["status"],
): Promise<void> {
  if (wanted === status) return;
  const values = [shard, account_id, id];
  if (wanted === "paused") await tx.query(pauseAutomation, values);
  else {
    await tx.query(resumeAutomation, values);
    await wakeRunsOfAutomation(deps, tx, { shard, accountId: account_id }, id);
  }
}

/** Its runs in progress are given a turn each, in which they end. */
export async function remove(
  context: Asked,
  id: string,
): Promise<{ status: 200; body: Automation }> {
  const { deps, caller } = context;
  const { account } = caller;
  return context.transact(async (tx) => {
    const row = await lockAutomationOf(tx, account, id);
    await tx.query(deleteAutomation, [account.shard, account.id, row.id]);
    const owner = { shard: account.shard, accountId: account.id };
    await wakeRunsOfAutomation(deps, tx, owner, row.id);
    await recordBy(context, tx, "automation.deleted", id);
    await notify(tx, "longwave_cache", account.id);
    return { status: 200, body: presentAutomation(row) };
  });
}

async function readTrigger(
  deps: AutomationsDeps,
  account: AccountRow,
  given: Trigger,
): Promise<Trigger> {
  const { event, filter } = given;
  if (event.trim() === "") {
    throw new Problem("invalid_request", "trigger.event must not be blank.", {
      param: "trigger.event",
    });
  }
  if (filter === undefined || filter === null) return { event };
  await readFilter(deps.db, account, filter, { param: "trigger.filter", properties: true });
  return { event, filter };
}

async function checkRoom(tx: Tx, account: AccountRow): Promise<void> {
  const values = [account.shard, account.id];
  const [row] = await tx.query<{ automations: number }>(countAutomations, values);
  if ((row?.automations ?? 0) < AUTOMATIONS_MAX) return;
  throw new Problem(
    "limit_reached",
    `An account has at most ${AUTOMATIONS_MAX} automations. Delete one first.`,
  );
}

interface Version {
  readonly version: number;
  readonly trigger: Trigger;
  readonly steps: readonly AutomationStep[];
  readonly reentry: AutomationRow["reentry"];
}

async function writeVersion(
  tx: Tx,
  owner: readonly unknown[],
  { version, trigger, steps, reentry }: Version,
  now: number,
): Promise<void> {
  const texts = [JSON.stringify(trigger), JSON.stringify(steps)];
  await tx.query(insertVersion, [...owner, version, ...texts, reentry, new Date(now)]);
}
