import {
  AUTOMATIONS_MAX,
  type Automation,
  type AutomationStep,
  Problem,
  type RouteInput,
} from "@longwave/contract";
import { type AccountRow, type Principal, recordBy } from "../../account/accounts/index.ts";
import { changesBetween } from "../../account/audit/index.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { notify } from "../../core/db/driver/notifications.ts";
import { toApiId } from "../../core/platform/ids.ts";
import type { Context } from "../../http/api/handler.ts";
import { readFilter } from "../../people/contacts/index.ts";
import type { AutomationsDeps } from "./deps.ts";
import { lockAutomationOf, ownAutomationOf } from "./find.ts";
import { presentAutomation } from "./present.ts";
import { readSteps } from "./read-steps.ts";
import { resumeRunsOfAutomation } from "./resume-requests.ts";
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

type AutomationContext = Context<Principal, AutomationsDeps>;
type Trigger = AutomationRow["trigger"];

export async function create(
  context: AutomationContext,
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
    if (input.status === "paused") await tx.query(pauseAutomation, owner);
    await notify(tx, "longwave_cache", account.id);
    const made = await lockAutomationOf(tx, caller, toApiId("automation", id));
    return { status: 201, body: presentAutomation(made) };
  });
}

/** PATCH: a changed trigger, steps or re-entry rule makes a new version; runs in progress keep their version. */
export async function update(
  context: AutomationContext,
  id: string,
  input: RouteInput<"automations.update">["body"],
): Promise<{ status: 200; body: Automation }> {
  const { deps, caller } = context;
  const { account } = caller;
  const known = await ownAutomationOf(deps.db, caller, id);
  const trigger = input.trigger && (await readTrigger(deps, account, input.trigger));
  const steps = input.steps && (await readSteps(deps, account, known.mode, input.steps));
  return context.transact(async (tx) => {
    const before = await lockAutomationOf(tx, caller, id);
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
    const after = await lockAutomationOf(tx, caller, id);
    return { status: 200, body: presentAutomation(after) };
  });
}

async function move(
  deps: AutomationsDeps,
  tx: Tx,
  { shard, account_id, id, status }: AutomationRow,
  target: AutomationRow["status"],
): Promise<void> {
  if (target === status) return;
  const values = [shard, account_id, id];
  if (target === "paused") await tx.query(pauseAutomation, values);
  else {
    await tx.query(resumeAutomation, values);
    await resumeRunsOfAutomation(deps, tx, { shard, accountId: account_id }, id);
  }
}

/** DELETE: wakes the runs in progress, which then end. */
export async function remove(
  context: AutomationContext,
  id: string,
): Promise<{ status: 200; body: Automation }> {
  const { deps, caller } = context;
  const { account } = caller;
  return context.transact(async (tx) => {
    const row = await lockAutomationOf(tx, caller, id);
    await tx.query(deleteAutomation, [account.shard, account.id, row.id]);
    const owner = { shard: account.shard, accountId: account.id };
    await resumeRunsOfAutomation(deps, tx, owner, row.id);
    await recordBy(context, tx, "automation.deleted", id);
    await notify(tx, "longwave_cache", account.id);
    return { status: 200, body: presentAutomation(row) };
  });
}

async function readTrigger(
  deps: AutomationsDeps,
  account: AccountRow,
  input: Trigger,
): Promise<Trigger> {
  const { event, filter } = input;
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
  const json = [JSON.stringify(trigger), JSON.stringify(steps)];
  await tx.query(insertVersion, [...owner, version, ...json, reentry, new Date(now)]);
}
