import { Type } from "typebox";
import { defineRoutes, type RouteSpec } from "../define.ts";
import { KEY_MODES } from "../enums.ts";
import {
  Input,
  ListQuery,
  Nullable,
  Page,
  PhoneInput,
  SingleLine,
  StringEnum,
  TimestampInput,
} from "../fields.ts";
import { MESSAGE_BODY_CHARS_MAX, RULE_CHARS_MAX, TIME_ZONE_CHARS_MAX } from "../limits.ts";
import { scheduleMachine } from "../machines/schedule.ts";
import { Schedule, ScheduleOccurrence } from "../schemas/schedule.ts";

const TAG = "Schedules";
const EXAMPLE_SCHEDULE = { id: "rec_01jd0000000000000000000000" };
const scheduleParams = Input({ id: Type.String() });

const fields = {
  to: PhoneInput({ description: "Recipient: a US or Canada number." }),
  from: Type.String({
    minLength: 1,
    maxLength: 64,
    description: "A number of yours, or the id of a sender pool.",
  }),
  body: Type.String({
    minLength: 1,
    maxLength: MESSAGE_BODY_CHARS_MAX,
    description: "The text, the same at every occurrence.",
  }),
  rrule: SingleLine({
    minLength: 1,
    maxLength: RULE_CHARS_MAX,
    description:
      "A recurrence rule as RFC 5545 writes it, such as FREQ=WEEKLY;BYDAY=MO,TH. It is counted from start_at, or from when the schedule is made. Give this or cron.",
  }),
  cron: SingleLine({
    minLength: 1,
    maxLength: RULE_CHARS_MAX,
    description:
      "Minute, hour, day of the month, month, day of the week, such as 30 9 * * 1-5. Give this or rrule.",
  }),
  timezone: SingleLine({
    minLength: 1,
    maxLength: TIME_ZONE_CHARS_MAX,
    description:
      "IANA zone of the rule, such as America/New_York. A time that a clock change skips moves forward by the length of the change; a repeated time is used once.",
  }),
  start_at: TimestampInput({
    description: "No occurrence is before this, and an rrule counts from it: ISO 8601 or epoch ms.",
  }),
  end_at: TimestampInput({ description: "No occurrence is after this: ISO 8601 or epoch ms." }),
};

/** Common shape of pause and resume: no body, and the schedule in the response. */
function control(action: string, summary: string, description: string) {
  return {
    method: "POST",
    path: `/v1/schedules/{id}/${action}`,
    scope: "messages:send",
    tag: TAG,
    summary,
    description,
    params: scheduleParams,
    answers: { 200: Schedule },
    errors: ["not_found", "invalid_state"],
    example: { params: EXAMPLE_SCHEDULE, status: 200 },
  } as const satisfies RouteSpec;
}

export const scheduleRoutes = defineRoutes({
  "schedules.create": {
    method: "POST",
    path: "/v1/schedules",
    scope: "messages:send",
    tag: TAG,
    summary: "Send a text again and again",
    description:
      "Every occurrence is a text of its own, and every check of a single send is made at its time. Without start_at the rule begins when the schedule is made, which is no occurrence itself. At most one occurrence a minute, and the first within 100 years. An account has at most 500 schedules that are active or paused.",
    body: Input({
      to: fields.to,
      from: fields.from,
      body: fields.body,
      rrule: Type.Optional(fields.rrule),
      cron: Type.Optional(fields.cron),
      timezone: fields.timezone,
      start_at: Type.Optional(fields.start_at),
      end_at: Type.Optional(fields.end_at),
    }),
    answers: { 201: Schedule },
    errors: [
      "recipient_opted_out",
      "opt_in_required",
      "sender_not_owned",
      "mode_mismatch",
      "sender_not_registered",
      "insufficient_credits",
      "limit_reached",
    ],
    example: {
      body: {
        to: "+15005550000",
        from: "+15005550100",
        body: "Time to water the plants.",
        rrule: "FREQ=WEEKLY;BYDAY=MO,TH;BYHOUR=9;BYMINUTE=0;BYSECOND=0",
        timezone: "America/Los_Angeles",
      },
      status: 201,
    },
  },
  "schedules.list": {
    method: "GET",
    path: "/v1/schedules",
    scope: "messages:read",
    tag: TAG,
    summary: "List recurring schedules, newest first",
    description: "Lists both modes unless `mode` is given, whatever the mode of the key.",
    query: ListQuery({
      status: Type.Optional(
        StringEnum(scheduleMachine.states, { description: "Only schedules in this state." }),
      ),
      mode: Type.Optional(StringEnum(KEY_MODES, { description: "Only schedules of this mode." })),
    }),
    answers: { 200: Page(Schedule) },
    errors: [],
    example: { query: { status: "active" }, status: 200 },
  },
  "schedules.get": {
    method: "GET",
    path: "/v1/schedules/{id}",
    scope: "messages:read",
    tag: TAG,
    summary: "Read a recurring schedule",
    description: "Its text, its next occurrence, and the reason if it paused itself.",
    params: scheduleParams,
    answers: { 200: Schedule },
    errors: ["not_found"],
    example: { params: EXAMPLE_SCHEDULE, status: 200 },
  },
  "schedules.update": {
    method: "PATCH",
    path: "/v1/schedules/{id}",
    scope: "messages:send",
    tag: TAG,
    summary: "Change a recurring schedule",
    description:
      "Absent fields stay unchanged. A new rule, zone, start or end applies from the next occurrence; rrule replaces cron and vice versa. An ended schedule cannot be changed.",
    params: scheduleParams,
    nullClears: true,
    body: Input({
      to: Type.Optional(fields.to),
      from: Type.Optional(fields.from),
      body: Type.Optional(fields.body),
      rrule: Type.Optional(fields.rrule),
      cron: Type.Optional(fields.cron),
      timezone: Type.Optional(fields.timezone),
      start_at: Type.Optional(
        Nullable(fields.start_at, {
          description: "The new start; null: counted from when it was made.",
        }),
      ),
      end_at: Type.Optional(
        Nullable(fields.end_at, { description: "The new end; null: without an end." }),
      ),
    }),
    answers: { 200: Schedule },
    errors: ["not_found", "invalid_state", "sender_not_owned", "mode_mismatch"],
    example: { params: EXAMPLE_SCHEDULE, body: { body: "Water the plants, please." }, status: 200 },
  },
  "schedules.delete": {
    method: "DELETE",
    path: "/v1/schedules/{id}",
    scope: "messages:send",
    tag: TAG,
    summary: "Delete a recurring schedule",
    description: "Nothing more is sent. The texts it has sent stay.",
    params: scheduleParams,
    answers: { 200: Schedule },
    errors: ["not_found"],
    example: { params: EXAMPLE_SCHEDULE, status: 200 },
  },
  "schedules.pause": control(
    "pause",
    "Pause a recurring schedule",
    "From active. Occurrences during the pause are never sent.",
  ),
  "schedules.resume": control(
    "resume",
    "Resume a paused recurring schedule",
    "It goes on with the next occurrence after now; failures are counted anew. One whose rule has no occurrence left has ended.",
  ),
  "schedules.occurrences": {
    method: "GET",
    path: "/v1/schedules/{id}/occurrences",
    scope: "messages:read",
    tag: TAG,
    summary: "List occurrences: the next 10, then past ones, latest first",
    description:
      "Past occurrences are listed for 90 days. Only an active schedule has upcoming ones.",
    params: scheduleParams,
    query: ListQuery({}),
    answers: { 200: Page(ScheduleOccurrence) },
    errors: ["not_found"],
    example: { params: EXAMPLE_SCHEDULE, status: 200 },
  },
});
