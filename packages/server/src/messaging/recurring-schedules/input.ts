import {
  isBlank,
  type Mode,
  normalizePhone,
  Problem,
  parseTimestamp,
  type RouteInput,
  TIMESTAMP_FORM,
} from "@longwave/contract";
import type { AccountRow } from "../accounts/index.ts";
import {
  checkLiveSender,
  chooseSender,
  type HandoverDeps,
  isOptedOut,
  textableOf,
} from "../handover/index.ts";
import { refuse } from "./refuse.ts";
import { parseRule } from "./rule.ts";
import type { ScheduleRow } from "./schedule-row.ts";

type CreateInput = RouteInput<"schedules.create">["body"];
type UpdateInput = RouteInput<"schedules.update">["body"];

/** What a call may say about a schedule. */
export type Settings = Pick<
  ScheduleRow,
  "to_number" | "sender" | "body" | "rrule" | "cron" | "time_zone" | "start_at" | "end_at"
>;

export function createdSettings(deps: HandoverDeps, input: CreateInput): Settings {
  return {
    to_number: textableOf(deps, input.to, "to"),
    sender: senderOf(input.from),
    body: bodyOf(input.body),
    ...ruleTexts(input.rrule, input.cron),
    time_zone: input.timezone,
    start_at: input.start_at === undefined ? null : timeOf(input.start_at, "start_at"),
    end_at: input.end_at === undefined ? null : timeOf(input.end_at, "end_at"),
  };
}

/** What is left out stays as it is; a new rule of one kind takes the place of the other. */
export function changedSettings(
  deps: HandoverDeps,
  before: ScheduleRow,
  input: UpdateInput,
): Settings {
  const isNewRule = input.rrule !== undefined || input.cron !== undefined;
  const time = (given: string | number | null | undefined, kept: number | null, param: string) => {
    if (given === undefined) return kept;
    return given === null ? null : timeOf(given, param);
  };
  return {
    to_number: input.to === undefined ? before.to_number : textableOf(deps, input.to, "to"),
    sender: input.from === undefined ? before.sender : senderOf(input.from),
    body: input.body === undefined ? before.body : bodyOf(input.body),
    ...(isNewRule
      ? ruleTexts(input.rrule, input.cron)
      : { rrule: before.rrule, cron: before.cron }),
    time_zone: input.timezone ?? before.time_zone,
    start_at: time(input.start_at, before.start_at, "start_at"),
    end_at: time(input.end_at, before.end_at, "end_at"),
  };
}

function ruleTexts(
  rrule: string | undefined,
  cron: string | undefined,
): Pick<Settings, "rrule" | "cron"> {
  if (rrule !== undefined && cron !== undefined) {
    throw refuse("cron", "Give rrule or cron, not both.");
  }
  if (rrule === undefined && cron === undefined) {
    throw refuse("rrule", "Give rrule or cron: when is the text to be sent?");
  }
  return { rrule: rrule ?? null, cron: cron ?? null };
}

function bodyOf(body: string): string {
  if (isBlank(body)) throw refuse("body", "body must not be blank.");
  return body;
}

function timeOf(given: string | number, param: string): number {
  const ms = parseTimestamp(given);
  if (ms === null) throw refuse(param, `${param} must be ${TIMESTAMP_FORM}.`);
  return ms;
}

/** The first occurrence after now; a rule that has none is refused. */
export function firstOccurrence(settings: Settings, createdAt: number, now: number): number {
  const { start_at, end_at } = settings;
  const rule = parseRule({ ...settings, created_at: createdAt });
  if (end_at !== null && end_at <= Math.max(now, start_at ?? 0)) {
    throw refuse("end_at", "end_at must be in the future, and after start_at.");
  }
  const next = rule.nextAfter(now);
  if (next === null) {
    throw refuse(
      settings.rrule === null ? "cron" : "rrule",
      "The rule has no occurrence after now. Check it against start_at and end_at.",
    );
  }
  return next;
}

/** The same checks as for a single send, money apart. A pool's member is chosen at each occurrence. */
export async function checkSend(
  deps: HandoverDeps,
  account: AccountRow,
  mode: Mode,
  settings: Settings,
): Promise<void> {
  const { sender: from, to_number: to, body } = settings;
  const question = { account, mode, from, to, customerApiId: undefined, remember: false };
  const { number, customerId, poolId } = await chooseSender(deps, question);
  if (mode === "live") await checkLiveSender(deps, account, number, to);
  const wanted = { account, mode, from: number.phone_number, to, body, customerId, poolId };
  if (await isOptedOut(deps, wanted)) {
    throw new Problem("recipient_opted_out", "The recipient has opted out of texts from you.", {
      param: "to",
    });
  }
}

/** How the sender is kept: a number in the form that all numbers have, or the id of a pool. */
function senderOf(from: string): string {
  return from.startsWith("pool_") ? from : (normalizePhone(from) ?? from);
}
