import { Problem, type RouteInput, SCHEDULE_MOVES, type Schedule } from "@longwave/contract";
import { type Principal, recordBy } from "../../account/accounts/index.ts";
import { changesBetween } from "../../account/audit/index.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { expect } from "../../core/platform/assert.ts";
import { LANES } from "../../core/queue/lane-names.ts";
import type { Context } from "../../http/api/handler.ts";
import type { OutboundDeps } from "../outbound/index.ts";
import { lockScheduleOf, scheduleOf } from "./find.ts";
import { changedSettings, checkSend, firstOccurrence, type Settings } from "./input.ts";
import { parseRule } from "./next-occurrence.ts";
import { presentSchedule } from "./present.ts";
import type { ScheduleRow } from "./schedule-row.ts";
import {
  changeSchedule,
  deleteSchedule,
  endSchedule,
  pauseSchedule,
  resumeSchedule,
} from "./sql.ts";

type ScheduleContext = Context<Principal, OutboundDeps>;
type Answer = { status: 200; body: Schedule };

/** PATCH: changes message and rule of a schedule. A paused schedule stays paused. */
export async function update(
  context: ScheduleContext,
  id: string,
  input: RouteInput<"schedules.update">["body"],
): Promise<Answer> {
  const { deps, caller } = context;
  const { account } = caller;
  const current = await scheduleOf(deps.db, caller, id);
  // Reads the sender's rows, so it runs before the transaction takes locks.
  if (input.from !== undefined || input.to !== undefined) {
    await checkSend(deps, account, current.mode, changedSettings(deps, current, input));
  }
  const answer = await context.transact(async (tx) => {
    const before = await lockScheduleOf(tx, caller, id);
    if (before.status === "ended") throw hasEnded(id);
    const settings = changedSettings(deps, before, input);
    const shown = presentSchedule(before);
    const changes = changesBetween(shown, presentSchedule({ ...before, ...settings }));
    if (changes === null) return { status: 200 as const, body: shown };
    const after = await write(deps, tx, before, settings);
    await recordBy(context, tx, "schedule.updated", id, changes);
    return { status: 200 as const, body: presentSchedule(after) };
  });
  if (answer.body.next_at !== null) {
    deps.wakes.wakeAt(LANES.schedules, Date.parse(answer.body.next_at));
  }
  return answer;
}

async function write(
  deps: OutboundDeps,
  tx: Tx,
  before: ScheduleRow,
  settings: Settings,
): Promise<ScheduleRow> {
  const now = deps.clock.now();
  const nextAt = nextOf(before, settings, now);
  const time = (ms: number | null) => (ms === null ? null : new Date(ms));
  const [row] = await tx.query<ScheduleRow>(changeSchedule, [
    before.shard,
    before.account_id,
    before.id,
    settings.to_number,
    settings.sender,
    settings.body,
    settings.rrule,
    settings.cron,
    settings.time_zone,
    time(settings.start_at),
    time(settings.end_at),
    time(before.status === "active" ? nextAt : null),
    new Date(now),
  ]);
  return expect(row, "a locked schedule is gone");
}

/** The next occurrence after a change; with an unchanged rule, an occurrence that is already due stays due. */
function nextOf(before: ScheduleRow, settings: Settings, now: number): number {
  const keys = ["rrule", "cron", "time_zone", "start_at", "end_at"] as const;
  const isSameRule = keys.every((key) => before[key] === settings[key]);
  if (isSameRule && before.next_at !== null) return before.next_at;
  return firstOccurrence(settings, before.created_at, Math.max(now, before.last_at ?? 0));
}

export async function remove(context: ScheduleContext, id: string): Promise<Answer> {
  const { caller } = context;
  const { account } = caller;
  return context.transact(async (tx) => {
    const row = await lockScheduleOf(tx, caller, id);
    await tx.query(deleteSchedule, [account.shard, account.id, row.id]);
    await recordBy(context, tx, "schedule.deleted", id);
    return { status: 200, body: presentSchedule(row) };
  });
}

export async function pause(context: ScheduleContext, id: string): Promise<Answer> {
  const { deps, caller } = context;
  const { account } = caller;
  return context.transact(async (tx) => {
    const before = await lockScheduleOf(tx, caller, id);
    checkStatus(before, SCHEDULE_MOVES.pause.from, "paused");
    const values = [account.shard, account.id, before.id, new Date(deps.clock.now())];
    const [row] = await tx.query<ScheduleRow>(pauseSchedule, values);
    const after = expect(row, "a locked schedule did not pause");
    await recordBy(context, tx, "schedule.paused", id);
    return { status: 200, body: presentSchedule(after) };
  });
}

/** Resumes with the first occurrence after now; passed occurrences are neither sent nor reported as missed. */
export async function resume(context: ScheduleContext, id: string): Promise<Answer> {
  const { deps, caller } = context;
  const { account } = caller;
  const answer = await context.transact(async (tx) => {
    const before = await lockScheduleOf(tx, caller, id);
    checkStatus(before, SCHEDULE_MOVES.resume.from, "resumed");
    const now = deps.clock.now();
    const nextAt = parseRule(before).nextAfter(Math.max(now, before.last_at ?? 0));
    const values = [account.shard, account.id, before.id, new Date(now)];
    const [row] =
      nextAt === null
        ? await tx.query<ScheduleRow>(endSchedule, values)
        : await tx.query<ScheduleRow>(resumeSchedule, [...values, new Date(nextAt)]);
    const after = expect(row, "a locked schedule did not resume");
    await recordBy(context, tx, "schedule.resumed", id);
    return { status: 200 as const, body: presentSchedule(after) };
  });
  if (answer.body.next_at !== null) {
    deps.wakes.wakeAt(LANES.schedules, Date.parse(answer.body.next_at));
  }
  return answer;
}

function checkStatus({ status }: ScheduleRow, allowed: readonly string[], verb: string): void {
  if (allowed.includes(status)) return;
  throw new Problem(
    "invalid_state",
    `A schedule that is ${status} cannot be ${verb}: it must be ${allowed.join(" or ")}.`,
  );
}

function hasEnded(id: string): Problem {
  return new Problem("invalid_state", `The schedule ${id} has ended. Create a new one instead.`);
}
