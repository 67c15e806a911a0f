import { type Static, Type } from "typebox";
import {
  KEY_MODES,
  OCCURRENCE_SKIP_REASONS,
  OCCURRENCE_STATUSES,
  SCHEDULE_PAUSE_REASONS,
} from "../enums.ts";
import { E164, Failure, Id, Nullable, Resource, StringEnum, Timestamp } from "../fields.ts";
import { scheduleMachine } from "../machines/schedule.ts";

export const Schedule = Resource(
  "Schedule",
  {
    id: Id("schedule", { description: "The recurring schedule's id." }),
    object: Type.Literal("schedule"),
    status: StringEnum(scheduleMachine.states, {
      description: "`ended` once the last occurrence has passed; nothing leaves that state.",
    }),
    mode: StringEnum(KEY_MODES, {
      description: "Mode of the key that made it, and of its texts.",
    }),
    to: E164({ description: "Phone that gets every occurrence." }),
    from: Type.String({ description: "A number of yours, or the id of a sender pool." }),
    body: Type.String({ description: "The text of every occurrence." }),
    rrule: Nullable(Type.String(), {
      description: "The recurrence rule (RFC 5545), where the schedule has one.",
    }),
    cron: Nullable(Type.String(), {
      description: "The cron expression, where the schedule has one.",
    }),
    timezone: Type.String({
      description: "The zone in which the rule is read, as the IANA names it.",
    }),
    start_at: Nullable(Timestamp(), {
      description: "No occurrence is before this; an rrule counts from it.",
    }),
    end_at: Nullable(Timestamp(), { description: "No occurrence is after this." }),
    next_at: Nullable(Timestamp(), {
      description: "The next occurrence; null while it is paused and once it has ended.",
    }),
    pause_reason: Nullable(StringEnum(SCHEDULE_PAUSE_REASONS), {
      description: "Reason why the schedule paused itself; null when a call paused it.",
    }),
    created_at: Timestamp(),
    updated_at: Timestamp({
      description: "Time of the last change, by a call or by the schedule itself.",
    }),
  },
  { description: "A text that is sent again and again, by a rule in a time zone." },
);
export type Schedule = Static<typeof Schedule>;

export const ScheduleOccurrence = Resource(
  "ScheduleOccurrence",
  {
    object: Type.Literal("schedule_occurrence"),
    schedule_id: Id("schedule", { description: "The recurring rule that this date comes from." }),
    occurrence_at: Timestamp({ description: "Due time, which may be past." }),
    status: StringEnum(OCCURRENCE_STATUSES, {
      description:
        "`upcoming` before its time. `sent` while the text has no final word, then `delivered` or `failed`; `skipped` where no message was made.",
    }),
    message_id: Nullable(Id("message"), {
      description: "The message, where one was made: also one that failed a check.",
    }),
    reason: Nullable(StringEnum(OCCURRENCE_SKIP_REASONS), {
      description: "Reason why it was skipped.",
    }),
    failure: Nullable(Failure, { description: "Reason why it failed." }),
  },
  { description: "One time at which a schedule sends, or was to send." },
);
export type ScheduleOccurrence = Static<typeof ScheduleOccurrence>;
