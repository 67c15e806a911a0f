import { Problem } from "@longwave/contract";
import { composed, type Fragment, join, raw, sql } from "../../core/db/driver/sql-builder.ts";
import { expect } from "../../core/platform/assert.ts";
import { LANES } from "../../core/queue/lane-names.ts";
import { append } from "../../events/log/index.ts";
import type { HandlersOf } from "../../http/api/handler.ts";
import { pageAnswer, pageRequest } from "../../http/api/pages.ts";
import { parseRecipient } from "../../http/api/parse-fields.ts";
import { findContactByPhone } from "../../people/contacts/index.ts";
import { create, remove, update } from "./change.ts";
import type { AutomationsDeps } from "./deps.ts";
import { automationOf, ownAutomationOf, runOf } from "./find.ts";
import { presentAutomation, presentRun } from "./present.ts";
import { compileSteps } from "./program.ts";
import { runEvent } from "./run-events.ts";
import type { AutomationRow, RunRow } from "./run-row.ts";
import { AUTOMATION_COLUMNS, AUTOMATION_FROM, findRun, RUN_COLUMNS, startRuns } from "./sql.ts";

type Names =
  | "automations.create"
  | "automations.list"
  | "automations.get"
  | "automations.update"
  | "automations.delete"
  | "automations.test"
  | "automations.runs"
  | "automations.run";

export const automationHandlers: HandlersOf<Names, AutomationsDeps> = {
  "automations.create": async (context, { body }) => create(context, body),
  "automations.update": async (context, { params, body }) => update(context, params.id, body),
  "automations.delete": async (context, { params }) => remove(context, params.id),

  "automations.list": async ({ deps, caller }, { query }) => {
    const { account } = caller;
    const { status, mode } = query;
    const scope = { list: "automations.list", owner: account.id, filters: { status, mode } };
    const page = pageRequest(deps.secrets, scope, query);
    const conditions: Fragment[] = [
      sql`a.shard = ${account.shard}`,
      sql`a.account_id = ${account.id}`,
    ];
    if (status !== undefined) conditions.push(sql`a.status = ${status}`);
    if (mode !== undefined) conditions.push(sql`a.mode = ${mode}`);
    if (page.after) conditions.push(sql`a.id < ${page.after[0]}::uuid`);
    const rows = await deps.db.query<AutomationRow>(
      composed(
        "list_automations",
        sql`select ${raw(AUTOMATION_COLUMNS)} from ${raw(AUTOMATION_FROM)}
           where ${join(conditions, " and ")} order by a.id desc limit ${page.limit + 1}`,
      ),
    );
    const body = pageAnswer(deps.secrets, scope, page, rows, (row) => [row.id], presentAutomation);
    return { status: 200, body };
  },

  "automations.get": async ({ deps, caller }, { params }) => ({
    status: 200,
    body: presentAutomation(await automationOf(deps.db, caller.account, params.id)),
  }),

  "automations.test": async ({ deps, caller, transact }, { params, body }) => {
    const { account } = caller;
    const phone = parseRecipient(deps, body.phone_number, "phone_number");
    const automation = await ownAutomationOf(deps.db, caller, params.id);
    if (!(await deps.isVerified(account, phone))) {
      throw new Problem(
        "invalid_request",
        "phone_number must be one of the account's verified numbers: a test texts nobody else.",
        { param: "phone_number" },
      );
    }
    const contact = await findContactByPhone(deps.db, account, phone);
    const now = deps.clock.now();
    const id = deps.ids.makeAt(now);
    const run = {
      id,
      account_id: account.id,
      automation_id: automation.id,
      version: automation.version,
      contact_id: contact?.id ?? null,
      phone_number: phone,
      mode: automation.mode,
      reentry: automation.reentry,
      is_test: true,
      position: compileSteps(automation.steps).first,
      properties: body.properties ?? {},
      due_at: new Date(now),
    };
    const answer = await transact(async (tx) => {
      await tx.query(startRuns, [account.shard, JSON.stringify([run]), new Date(now)]);
      const owner = { shard: account.shard, accountId: account.id };
      await append(deps, tx, owner, [runEvent("automation.run.started", run, null)]);
      const [row] = await tx.query<RunRow>(findRun, [account.shard, account.id, id]);
      return { status: 202 as const, body: presentRun(expect(row, "a run was not written")) };
    });
    deps.wakes.wakeAt(LANES.runs, now);
    return answer;
  },

  "automations.runs": async ({ deps, caller }, { params, query }) => {
    const { account, mode } = caller;
    const { id } = await automationOf(deps.db, account, params.id);
    const { status } = query;
    const scope = { list: "automations.runs", owner: account.id, filters: { id, mode, status } };
    const page = pageRequest(deps.secrets, scope, query);
    const conditions: Fragment[] = [
      sql`r.shard = ${account.shard}`,
      sql`r.account_id = ${account.id}`,
      sql`r.automation_id = ${id}`,
      sql`r.mode = ${mode}`,
    ];
    if (status !== undefined) conditions.push(sql`r.status = ${status}`);
    if (page.after) conditions.push(sql`r.id < ${page.after[0]}::uuid`);
    const rows = await deps.db.query<RunRow>(
      composed(
        "list_automation_runs",
        sql`select ${raw(RUN_COLUMNS)} from automation_runs r
           where ${join(conditions, " and ")} order by r.id desc limit ${page.limit + 1}`,
        // A rare status may be absent among many runs, so the filter can scan far.
        status === undefined ? {} : { profile: "scans" },
      ),
    );
    const body = pageAnswer(deps.secrets, scope, page, rows, (row) => [row.id], presentRun);
    return { status: 200, body };
  },

  "automations.run": async ({ deps, caller }, { params }) => ({
    status: 200,
    body: presentRun(await runOf(deps.db, caller, params.id)),
  }),
};
