import {
  isBlank,
  type Mode,
  normalizePhone,
  Problem,
  parseTimestamp,
  type RouteInput,
  TIMESTAMP_FORM,
} from "@longwave/contract";
import type { AccountRow } from "../../account/accounts/index.ts";
import { parseRecipient } from "../../http/api/parse-fields.ts";
import {
  checkLiveSender,
  chooseSender,
  isOptedOut,
  type OutboundDeps,
  requireConsent,
} from "../outbound/index.ts";
import { SEARCH_YEARS_MAX } from "./day-search.ts";
import { parseRule } from "./next-occurrence.ts";
import { checkPositions } from "./parse-rrule.ts";
import type { ScheduleRow } from "./schedule-row.ts";
import { refuse } from "./wall-clock-rule.ts";

type CreateInput = RouteInput<"schedules.create">["body"];
type UpdateInput = RouteInput<"schedules.update">["body"];

/** Columns that a request can set. */
export type Settings = Pick<
  ScheduleRow,
  "to_number" | "sender" | "body" | "rrule" | "cron" | "time_zone" | "start_at" | "end_at"
>;

export function createdSettings(deps: OutboundDeps, input: CreateInput): Settings {
  return {
    to_number: parseRecipient(deps, input.to, "to"),
    sender: senderOf(input.from),
    body: bodyOf(input.body),
    ...ruleOf(input.rrule, input.cron),
    time_zone: input.timezone,
    start_at: input.start_at === undefined ? null : timeOf(input.start_at, "start_at"),
    end_at: input.end_at === undefined ? null : timeOf(input.end_at, "end_at"),
  };
}

/** Applies a PATCH: absent fields stay, and a new `rrule` replaces a `cron` and vice versa. */
export function changedSettings(
  deps: OutboundDeps,
  before: ScheduleRow,
  input: UpdateInput,
): Settings {
  const isNewRule = input.rrule !== undefined || input.cron !== undefined;
  const time = (value: string | number | null | undefined, old: number | null, param: string) => {
    if (value === undefined) return old;
    return value === null ? null : timeOf(value, param);
  };
  return {
    to_number: input.to === undefined ? before.to_number : parseRecipient(deps, input.to, "to"),
    sender: input.from === undefined ? before.sender : senderOf(input.from),
    body: input.body === undefined ? before.body : bodyOf(input.body),
    ...(isNewRule ? ruleOf(input.rrule, input.cron) : { rrule: before.rrule, cron: before.cron }),
    time_zone: input.timezone ?? before.time_zone,
    start_at: time(input.start_at, before.start_at, "start_at"),
    end_at: time(input.end_at, before.end_at, "end_at"),
  };
}

function ruleOf(
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

function timeOf(input: string | number, param: string): number {
  const ms = parseTimestamp(input);
  if (ms === null) throw refuse(param, `${param} must be ${TIMESTAMP_FORM}.`);
  return ms;
}

/** First occurrence after `now`; refuses a rule without one. */
export function firstOccurrence(settings: Settings, createdAt: number, now: number): number {
  const { start_at, end_at } = settings;
  const rule = parseRule({ ...settings, created_at: createdAt });
  if (end_at !== null && end_at <= Math.max(now, start_at ?? 0)) {
    throw refuse("end_at", "end_at must be in the future, and after start_at.");
  }
  if (settings.rrule !== null) checkPositions(settings.rrule);
  const next = rule.nextAfter(now);
  if (next === null) {
    throw refuse(
      settings.rrule === null ? "cron" : "rrule",
      `The rule has no occurrence after now, or none within ${SEARCH_YEARS_MAX} years. Check it against start_at and end_at.`,
    );
  }
  return next;
}

/** Runs the checks of a single send except for money. Each occurrence chooses the pool's member again. */
export async function checkSend(
  deps: OutboundDeps,
  account: AccountRow,
  mode: Mode,
  settings: Settings,
): Promise<void> {
  const { sender: from, to_number: to, body } = settings;
  const choice = { account, mode, from, to, customerApiId: undefined, remember: false };
  const { number, customerId, poolId } = await chooseSender(deps, choice);
  if (mode === "live") await checkLiveSender(deps, account, number, to);
  const request = { account, mode, from: number.phone_number, to, body, customerId, poolId };
  if (await isOptedOut(deps, request)) {
    throw new Problem("recipient_opted_out", "The recipient has opted out of texts from you.", {
      param: "to",
    });
  }
  await requireConsent(deps, request);
}

/** Stored form of a sender: an E.164 number or the API id of a pool. */
function senderOf(from: string): string {
  return from.startsWith("pool_") ? from : (normalizePhone(from) ?? from);
}
