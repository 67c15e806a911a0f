import { Problem, type RouteInput, SCHEDULES_MAX } from "@longwave/contract";
import { recordBy } from "../../account/accounts/index.ts";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { composed, type Fragment, join, raw, sql } from "../../core/db/driver/sql-builder.ts";
import { expect } from "../../core/platform/assert.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { LANES } from "../../core/queue/lane-names.ts";
import { checking, type HandlersOf } from "../../http/api/handler.ts";
import { narrowsToNothing } from "../../http/api/modes.ts";
import { EMPTY_PAGE, pageAnswer, pageRequest } from "../../http/api/pages.ts";
import type { OutboundDeps } from "../outbound/index.ts";
import { pause, remove, resume, update } from "./change.ts";
import { scheduleOf } from "./find.ts";
import { checkSend, createdSettings, firstOccurrence, type Settings } from "./input.ts";
import { listOccurrences } from "./list-occurrences.ts";
import { presentSchedule } from "./present.ts";
import type { ScheduleRow } from "./schedule-row.ts";
import { countSchedules, insertSchedule, lockScheduleCount, SCHEDULE_COLUMNS } from "./sql.ts";

type Names =
  | "schedules.create"
  | "schedules.list"
  | "schedules.get"
  | "schedules.update"
  | "schedules.delete"
  | "schedules.pause"
  | "schedules.resume"
  | "schedules.occurrences";

export const scheduleHandlers: HandlersOf<Names, OutboundDeps> = {
  "schedules.create": checking(readCreate, async (context, { body }) => {
    const { deps, caller, transact } = context;
    const { account, mode } = caller;
    const { now, settings, nextAt } = readCreate(deps, { body });
    await checkSend(deps, account, mode, settings);
    const answer = await transact(async (tx) => {
      await checkRoom(tx, account);
      const [row] = await tx.query<ScheduleRow>(insertSchedule, [
        account.shard,
        account.id,
        deps.ids.makeAt(now),
        mode,
        settings.to_number,
        settings.sender,
        settings.body,
        settings.rrule,
        settings.cron,
        settings.time_zone,
        settings.start_at === null ? null : new Date(settings.start_at),
        settings.end_at === null ? null : new Date(settings.end_at),
        new Date(nextAt),
        new Date(now),
      ]);
      const made = expect(row, "a schedule was not written");
      await recordBy(context, tx, "schedule.created", toApiId("schedule", made.id), body);
      return { status: 201 as const, body: presentSchedule(made) };
    });
    deps.wakes.wakeAt(LANES.schedules, nextAt);
    return answer;
  }),

  "schedules.list": async ({ deps, caller }, { query }) => {
    const { account, mode } = caller;
    const { status } = query;
    const scope = { list: "schedules.list", owner: account.id, filters: { status, mode } };
    const page = pageRequest(deps.secrets, scope, query);
    if (narrowsToNothing(caller, query)) return { status: 200, body: EMPTY_PAGE };
    const conditions: Fragment[] = [
      sql`s.shard = ${account.shard}`,
      sql`s.account_id = ${account.id}`,
      sql`s.mode = ${mode}`,
    ];
    if (status !== undefined) conditions.push(sql`s.status = ${status}`);
    if (page.after) conditions.push(sql`s.id < ${page.after[0]}::uuid`);
    const rows = await deps.db.query<ScheduleRow>(
      composed(
        "list_schedules",
        sql`select ${raw(SCHEDULE_COLUMNS)} from schedules s
           where ${join(conditions, " and ")} order by s.id desc limit ${page.limit + 1}`,
      ),
    );
    const body = pageAnswer(deps.secrets, scope, page, rows, (row) => [row.id], presentSchedule);
    return { status: 200, body };
  },

  "schedules.get": async ({ deps, caller }, { params }) => ({
    status: 200,
    body: presentSchedule(await scheduleOf(deps.db, caller, params.id)),
  }),

  "schedules.update": async (context, { params, body }) => update(context, params.id, body),
  "schedules.delete": async (context, { params }) => remove(context, params.id),
  "schedules.pause": async (context, { params }) => pause(context, params.id),
  "schedules.resume": async (context, { params }) => resume(context, params.id),

  "schedules.occurrences": async ({ deps, caller }, { params, query }) => {
    const schedule = await scheduleOf(deps.db, caller, params.id);
    const scope = {
      list: "schedules.occurrences",
      owner: caller.account.id,
      filters: { id: schedule.id },
    };
    return { status: 200, body: await listOccurrences(deps, scope, schedule, query) };
  },
};

async function checkRoom(tx: Tx, { shard, id }: AccountRef): Promise<void> {
  await tx.query(lockScheduleCount, [shard, id]);
  const [row] = await tx.query<{ schedules: number }>(countSchedules, [shard, id]);
  if ((row?.schedules ?? 0) < SCHEDULES_MAX) return;
  throw new Problem(
    "limit_reached",
    `An account has at most ${SCHEDULES_MAX} schedules that are active or paused. Delete one first.`,
  );
}

/** Checks the fields that need no database. */
function readCreate(
  deps: OutboundDeps,
  { body }: Pick<RouteInput<"schedules.create">, "body">,
): { readonly now: number; readonly settings: Settings; readonly nextAt: number } {
  const now = deps.clock.now();
  const settings = createdSettings(deps, body);
  return { now, settings, nextAt: firstOccurrence(settings, now, now) };
}
