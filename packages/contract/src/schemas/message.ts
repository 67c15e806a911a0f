import { type Static, Type } from "typebox";
import { MESSAGE_DIRECTIONS, MESSAGE_ENCODINGS, TIMELINE_STEPS } from "../enums.ts";
import {
  E164,
  Failure,
  Id,
  ModeOf,
  Nullable,
  Resource,
  StringEnum,
  Timestamp,
  Usd,
} from "../fields.ts";
import { messageMachine } from "../machines/message.ts";
import { scheduledMessageMachine } from "../machines/scheduled-message.ts";
import { MetadataOf } from "../metadata.ts";
import { ownQuietHours } from "./quiet-hours.ts";

export const Message = Resource("Message", {
  id: Id("message"),
  object: Type.Literal("message"),
  status: StringEnum(messageMachine.states),
  direction: StringEnum(MESSAGE_DIRECTIONS),
  from: Type.String({
    description:
      "The sending number. A message that failed because its sender pool had no number left has the pool's id.",
  }),
  to: E164(),
  body: Type.String(),
  segments: Type.Integer(),
  encoding: StringEnum(MESSAGE_ENCODINGS),
  smart_encoded: Type.Boolean({
    description:
      "true if typographic characters were replaced to fit GSM-7; `body` is the sent text. See smart_encoding of the account.",
  }),
  price: Usd({
    description:
      "Price of this message, in US dollars: 0 in sandbox and inside the free allowance.",
  }),
  simulated: Type.Boolean({ description: "true when nothing left for a real network." }),
  auto_reply: Type.Boolean({ description: "true for our own answers to STOP, START and HELP." }),
  customer_id: Nullable(Id("customer")),
  pool_id: Nullable(Id("pool")),
  batch_id: Nullable(Id("batch")),
  scheduled_message_id: Nullable(Id("scheduled_message")),
  schedule_id: Nullable(Id("schedule"), {
    description: "The recurring schedule that sent it, or null.",
  }),
  metadata: MetadataOf("the message or its batch"),
  next_attempt_at: Nullable(Timestamp(), {
    description: "While queued: when the next attempt is made, or an unknown outcome is decided.",
  }),
  valid_for: Nullable(Type.Integer(), {
    description:
      "Seconds from its creation within which a carrier must take it; otherwise it fails `expired`. null: as long as it is tried.",
  }),
  failure: Nullable(Failure),
  carrier: Nullable(Type.String(), { description: "Name of the carrier link, null in sandbox." }),
  created_at: Timestamp(),
  sent_at: Nullable(Timestamp()),
  delivered_at: Nullable(Timestamp()),
  failed_at: Nullable(Timestamp()),
});
export type Message = Static<typeof Message>;

/** Columns of exported messages; `failure_code` is the code of `failure`. */
export const MESSAGE_CSV_COLUMNS = [
  "id",
  "direction",
  "status",
  "from",
  "to",
  "body",
  "segments",
  "price",
  "simulated",
  "customer_id",
  "batch_id",
  "carrier",
  "failure_code",
  "created_at",
  "sent_at",
  "delivered_at",
  "failed_at",
] as const satisfies readonly (keyof Message | "failure_code")[];

export const ScheduledMessage = Resource("ScheduledMessage", {
  id: Id("scheduled_message"),
  object: Type.Literal("scheduled_message"),
  status: StringEnum(scheduledMessageMachine.states),
  mode: ModeOf("the message"),
  to: E164(),
  from: Type.String({ description: "A number of yours, or the id of a sender pool." }),
  body: Type.String(),
  customer_id: Nullable(Id("customer")),
  scheduled_at: Timestamp(),
  valid_for: Nullable(Type.Integer(), {
    description:
      "Seconds from scheduled_at within which a carrier must take the text; otherwise it fails `expired`. null: as long as it is tried.",
  }),
  ...ownQuietHours,
  metadata: MetadataOf("the message"),
  message_id: Nullable(Id("message")),
  failure: Nullable(Failure),
  created_at: Timestamp(),
  canceled_at: Nullable(Timestamp()),
});
export type ScheduledMessage = Static<typeof ScheduledMessage>;

export const MessagePreview = Resource("MessagePreview", {
  object: Type.Literal("message_preview"),
  to: E164(),
  from: Type.String(),
  body: Type.String({ description: "The text as it would be sent." }),
  encoding: StringEnum(MESSAGE_ENCODINGS),
  smart_encoded: Type.Boolean({
    description: "true where typographic characters would be replaced to make it GSM-7.",
  }),
  segments: Type.Integer(),
  price: Usd({ description: "Price that this key would pay now, in US dollars." }),
  ucs2_characters: Type.Array(Type.String(), {
    description: "The characters that force UCS-2, which holds fewer per segment.",
  }),
  quiet_until: Nullable(Timestamp(), {
    description:
      "Time until which quiet hours would hold the text if it were sent now; null: not at all.",
  }),
  blocked_by: Type.Array(Type.String(), {
    description: "The error codes that would refuse this send now.",
  }),
});
export type MessagePreview = Static<typeof MessagePreview>;

export const TimelineEntry = Resource("TimelineEntry", {
  at: Timestamp(),
  step: StringEnum(TIMELINE_STEPS),
  description: Type.String({ description: "Sentence that describes the event." }),
  details: Type.Unsafe<Record<string, unknown>>({ type: "object", additionalProperties: true }),
});
export type TimelineEntry = Static<typeof TimelineEntry>;

export const MessageTimeline = Resource("MessageTimeline", {
  object: Type.Literal("message_timeline"),
  message_id: Id("message"),
  status: StringEnum(messageMachine.states),
  entries: Type.Array(TimelineEntry, { description: "Oldest first." }),
});
export type MessageTimeline = Static<typeof MessageTimeline>;
