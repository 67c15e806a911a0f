import { Type } from "typebox";
import { defineRoutes } from "../define.ts";
import { MESSAGE_DIRECTIONS } from "../enums.ts";
import { FAILURE_CODES } from "../failures.ts";
import {
  IdInput,
  Input,
  ListQuery,
  ModeFilter,
  Page,
  PhoneInput,
  StringEnum,
  TimestampInput,
  TimestampQuery,
  ValidFor,
} from "../fields.ts";
import {
  MESSAGE_BODY_CHARS_MAX,
  MESSAGE_METADATA_KEYS_MAX,
  METADATA_KEY_CHARS_MAX,
  METADATA_VALUE_CHARS_MAX,
  NAME_CHARS_MAX,
} from "../limits.ts";
import { messageMachine } from "../machines/message.ts";
import { MetadataInput } from "../metadata.ts";
import { Message, MessagePreview, MessageTimeline, ScheduledMessage } from "../schemas/message.ts";
import { QuietHoursInput } from "../schemas/quiet-hours.ts";

const messageParams = Input({ id: Type.String() });
const EXAMPLE_MESSAGE = { id: "msg_01jd0000000000000000000000" };
const EXAMPLE_SCHEDULED = { id: "sch_01jd0000000000000000000000" };

export const messageRoutes = defineRoutes({
  "messages.send": {
    method: "POST",
    path: "/v1/messages",
    scope: "messages:send",
    tag: "Messages",
    summary: "Send a text message, now or later",
    description:
      "201 when the carrier has accepted it, 202 during retries of a temporary failure or quiet hours, 502 when the carrier permanently refused it. With scheduled_at the response is a scheduled message; with dry_run nothing is stored. A waiting message (for its time, a retry, or the end of quiet hours) is checked again before it is sent: consent, live access, the account, the number and its registration. A failed check fails the message with its code, free of charge.",
    body: Input({
      to: PhoneInput({ description: "Recipient: a US or Canada number." }),
      from: Type.String({
        minLength: 1,
        maxLength: 64,
        description: "A number of yours, or the id of a sender pool.",
      }),
      body: Type.String({ minLength: 1, maxLength: MESSAGE_BODY_CHARS_MAX }),
      customer_id: Type.Optional(
        IdInput({ description: "Defaults to the customer the from-number is assigned to." }),
      ),
      scheduled_at: Type.Optional(
        TimestampInput({
          description: "In the future, at most 30 days ahead: ISO 8601 or epoch ms.",
        }),
      ),
      quiet_hours: Type.Optional(
        QuietHoursInput({
          description: "Instead of the account's quiet hours, for this text alone; null: none.",
        }),
      ),
      valid_for: Type.Optional(
        ValidFor({
          description:
            "Seconds, 60 to 259,200, from acceptance (of a scheduled message from its time). A message that no carrier has accepted by then fails `expired`, free of charge.",
        }),
      ),
      metadata: Type.Optional(
        MetadataInput({ description: "Returned with the message and its events." }),
      ),
      media: Type.Optional(
        Type.Union(
          [
            Type.Array(Type.Unknown()),
            Type.String(),
            Type.Number(),
            Type.Boolean(),
            Type.Record(Type.String(), Type.Unknown()),
          ],
          {
            "x-component": "MediaInput",
            description:
              "Reserved for the addresses of pictures. Media messages are not enabled: any value but null is refused.",
          },
        ),
      ),
      dry_run: Type.Optional(
        Type.Boolean({
          description: "Only preview the message, its cost and any block.",
        }),
      ),
    }),
    answers: {
      200: MessagePreview,
      201: Type.Union([Message, ScheduledMessage]),
      202: Message,
    },
    answersWith: { dry_run: MessagePreview, scheduled_at: ScheduledMessage },
    errors: [
      "mms_not_enabled",
      "unknown_customer",
      "customer_mismatch",
      "recipient_opted_out",
      "opt_in_required",
      "insufficient_credits",
      "sender_not_owned",
      "sender_not_registered",
      "mode_mismatch",
      "quota_exceeded",
      "spend_limit_reached",
      "carrier_error",
    ],
    example: {
      body: { to: "+15005550000", from: "+15005550100", body: "Your table is ready." },
      status: 201,
    },
  },
  "messages.list": {
    method: "GET",
    path: "/v1/messages",
    scope: "messages:read",
    tag: "Messages",
    summary: "List messages, newest first",
    description: "Filters can be combined. Every page costs the same, however far back it is.",
    query: ListQuery({
      number: Type.Optional(PhoneInput({ description: "To or from this number." })),
      to: Type.Optional(PhoneInput({ description: "To exactly this number." })),
      from: Type.Optional(PhoneInput({ description: "Only texts from exactly this number." })),
      status: Type.Optional(StringEnum(messageMachine.states)),
      direction: Type.Optional(StringEnum(MESSAGE_DIRECTIONS)),
      created_after: Type.Optional(
        TimestampQuery({ description: "Inclusive. ISO 8601 with a zone, or epoch milliseconds." }),
      ),
      created_before: Type.Optional(
        TimestampQuery({ description: "Exclusive. ISO 8601 with a zone, or epoch milliseconds." }),
      ),
      customer_id: Type.Optional(
        IdInput({ description: "Texts of this customer, also of one that was deleted." }),
      ),
      batch_id: Type.Optional(IdInput({ description: "Only texts that are rows of this batch." })),
      failure_code: Type.Optional(
        StringEnum(FAILURE_CODES, { description: "Only texts that failed for this reason." }),
      ),
      carrier: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: NAME_CHARS_MAX,
          description: "Only texts that went to this carrier, by its name in `carrier`.",
        }),
      ),
      metadata: Type.Optional(
        Type.Unsafe<Record<string, string>>({
          type: "object",
          additionalProperties: { type: "string", maxLength: METADATA_VALUE_CHARS_MAX },
          propertyNames: { minLength: 1, maxLength: METADATA_KEY_CHARS_MAX },
          maxProperties: MESSAGE_METADATA_KEYS_MAX,
          description:
            "Messages with this metadata: `metadata[key]=value`, once per key; all must match.",
        }),
      ),
      simulated: Type.Optional(
        Type.Boolean({ description: "true: only sandbox messages. false: only real ones." }),
      ),
    }),
    answers: { 200: Page(Message) },
    errors: ["unknown_customer"],
    example: { query: { status: "delivered", limit: 10 }, status: 200 },
  },
  "messages.get": {
    method: "GET",
    path: "/v1/messages/{id}",
    scope: "messages:read",
    tag: "Messages",
    summary: "Read a message",
    description: "Codes that were sent from a number of yours are shown with their digits masked.",
    params: messageParams,
    answers: { 200: Message },
    errors: ["not_found"],
    example: { params: EXAMPLE_MESSAGE, status: 200 },
  },
  "messages.timeline": {
    method: "GET",
    path: "/v1/messages/{id}/timeline",
    scope: "messages:read",
    tag: "Messages",
    summary: "Every hop of one message: accepted, each submit, receipts, webhook attempts",
    description:
      "The carrier's answer to each attempt, the time of the next one, and every related webhook attempt.",
    params: messageParams,
    answers: { 200: MessageTimeline },
    errors: ["not_found"],
    example: { params: EXAMPLE_MESSAGE, status: 200 },
  },
  "scheduledMessages.list": {
    method: "GET",
    path: "/v1/scheduled_messages",
    scope: "messages:read",
    tag: "Scheduled messages",
    summary: "List pending scheduled messages, soonest first",
    description: "Sent, failed and canceled messages are not listed; read them by their id.",
    query: ListQuery({ mode: Type.Optional(ModeFilter) }),
    answers: { 200: Page(ScheduledMessage) },
    errors: [],
    example: { status: 200 },
  },
  "scheduledMessages.get": {
    method: "GET",
    path: "/v1/scheduled_messages/{id}",
    scope: "messages:read",
    tag: "Scheduled messages",
    summary: "Read a scheduled message",
    description: "Answers for as long as it is kept, whatever became of it.",
    params: messageParams,
    answers: { 200: ScheduledMessage },
    errors: ["not_found"],
    example: { params: EXAMPLE_SCHEDULED, status: 200 },
  },
  "scheduledMessages.delete": {
    method: "DELETE",
    path: "/v1/scheduled_messages/{id}",
    scope: "messages:send",
    tag: "Scheduled messages",
    summary: "Cancel a scheduled message",
    description: "404 once it was sent or has failed; 200 again for one already canceled.",
    params: messageParams,
    answers: { 200: ScheduledMessage },
    errors: ["not_found"],
    example: { params: EXAMPLE_SCHEDULED, status: 200 },
  },
});
