import { type Static, type TProperties, type TSchema, Type } from "typebox";
import {
  CONVERSATION_CHANGES,
  CONVERSATION_STATUSES,
  DELIVERABILITY_SCOPES,
  KEY_MODES,
  OCCURRENCE_SKIP_REASONS,
  SCHEDULE_PAUSE_REASONS,
} from "./enums.ts";
import { BatchCounts, E164, Failure, Id, Nullable, StringEnum, Timestamp, Usd } from "./fields.ts";
import { messageMachine } from "./machines/message.ts";
import { senderMachine } from "./machines/sender.ts";
import { verificationMachine } from "./machines/verification.ts";
import { MetadataOf } from "./metadata.ts";

export interface EventSpec {
  /** Trigger of the event, as a sentence. */
  readonly when: string;
  /** Call that triggers the event, or null. */
  readonly call: string | null;
  readonly data: TSchema;
}

/** Keeps each event's own data schema in its type. */
function defineEvents<const E extends Record<string, EventSpec>>(events: E): E {
  return events;
}

function Data<P extends TProperties>(properties: P) {
  return Type.Object(properties, { additionalProperties: false });
}

/** Event data that may belong to a customer; without one the field is absent. */
function OwnedData<P extends TProperties>(properties: P) {
  return Data({ ...properties, customer_id: Type.Optional(Id("customer")) });
}

const keywordData = OwnedData({
  message_id: Id("message", { description: "The inbound text." }),
  from: E164({ description: "Phone of the person who texted." }),
  to: E164({ description: "The number of yours that was texted." }),
  keyword: Type.String({ description: "The keyword, or the words of the request." }),
});

/** Data of a message's event: what the message has of these, and otherwise leaves out. */
function MessageData<P extends TProperties>(properties: P) {
  return OwnedData({
    ...properties,
    batch_id: Type.Optional(Id("batch", { description: "The batch that it is a row of." })),
    scheduled_message_id: Type.Optional(
      Id("scheduled_message", { description: "The scheduled message that it was." }),
    ),
    schedule_id: Type.Optional(
      Id("schedule", { description: "The recurring schedule that sent it." }),
    ),
    metadata: Type.Optional(MetadataOf("the message or its batch")),
  });
}

const numberData = OwnedData({ phone_number: E164(), mode: StringEnum(KEY_MODES) });

const verification = { verification_id: Id("verification"), phone: E164() };

const runData = Data({
  run_id: Id("automation_run"),
  automation_id: Id("automation"),
  contact_id: Nullable(Id("contact"), { description: "null for a test run without a contact." }),
  phone_number: E164(),
  reason: Nullable(Type.String(), { description: "Reason why the run ended, or null." }),
});

/** Every event type: trigger, related call, and schema of `data`. */
export const EVENTS = defineEvents({
  "message.sent": {
    when: "An outbound message was accepted by the carrier.",
    call: "POST /v1/messages",
    data: MessageData({
      message_id: Id("message"),
      from: E164(),
      to: E164(),
      status: StringEnum(messageMachine.states),
      segments: Type.Integer(),
    }),
  },
  "message.delivered": {
    when: "The carrier confirmed delivery.",
    call: null,
    data: MessageData({
      message_id: Id("message"),
      to: E164(),
      status: StringEnum(messageMachine.states),
      latency_ms: Type.Integer({ description: "From sent_at to delivered_at." }),
    }),
  },
  "message.failed": {
    when: "Delivery failed for good.",
    call: null,
    data: MessageData({
      message_id: Id("message"),
      to: E164(),
      code: Type.String({ description: "The older, coarser code. Prefer failure.code." }),
      reason: Type.String({ description: "A sentence, for older integrations." }),
      failure: Failure,
    }),
  },
  "message.received": {
    when: "A text arrived on a number of yours.",
    call: "POST /v1/test/inbound",
    data: OwnedData({ message_id: Id("message"), from: E164(), to: E164(), body: Type.String() }),
  },
  "message.opted_out": {
    when: "A recipient opted out by a keyword or a plain request, and had not before.",
    call: null,
    data: keywordData,
  },
  "message.opted_in": {
    when: "A recipient opted in by a keyword, and had not before.",
    call: null,
    data: keywordData,
  },
  "conversation.updated": {
    when: "A conversation was assigned, closed, reopened, read or got or lost a note. A received message emits `message.received` instead.",
    call: "PATCH /v1/conversations/{phone}",
    data: Data({
      phone_number: Type.String({ description: "The person of the conversation." }),
      mode: StringEnum(KEY_MODES),
      status: StringEnum(CONVERSATION_STATUSES),
      assignee_id: Nullable(Id("user"), { description: "The member in charge, or null." }),
      unread: Type.Integer({ description: "Messages received since a member last read." }),
      changed: Type.Array(StringEnum(CONVERSATION_CHANGES), {
        description: "Changed parts of the conversation. `reply`: it no longer needs one.",
      }),
    }),
  },
  "number.purchased": {
    when: "A number was added to the account.",
    call: "POST /v1/numbers",
    data: numberData,
  },
  "number.released": {
    when: "A number left the account: it neither sends nor receives any more.",
    call: "DELETE /v1/numbers/{id}",
    data: numberData,
  },
  "number.sender_updated": {
    when: "A live number's registration state with the carriers changed.",
    call: "POST /v1/numbers/{id}/registration",
    data: OwnedData({
      phone_number: E164(),
      mode: StringEnum(KEY_MODES),
      state: StringEnum(senderMachine.states),
      previous_state: StringEnum(senderMachine.states),
      registration_id: Nullable(Id("registration")),
      reason: Nullable(Type.String()),
    }),
  },
  "verification.sent": {
    when: "A code was sent: one event per text.",
    call: "POST /v1/verify",
    data: OwnedData({ ...verification, expires_at: Timestamp() }),
  },
  "verification.approved": {
    when: "A check gave the right code.",
    call: "POST /v1/verify/check",
    data: OwnedData({ ...verification, attempts: Type.Integer(), charged: Type.Boolean() }),
  },
  "verification.failed": {
    when: "A check gave a wrong code, or was the first after the code expired.",
    call: "POST /v1/verify/check",
    data: OwnedData({
      ...verification,
      status: StringEnum(verificationMachine.states),
      attempts: Type.Integer(),
    }),
  },
  "verification.blocked": {
    when: "Fraud protection blocked a verification; nothing was sent or charged.",
    call: "POST /v1/verify",
    data: OwnedData({ verification_id: Type.Null(), phone: E164(), reason: Type.String() }),
  },
  "deliverability.degraded": {
    when: "The delivery rate of live messages dropped sharply for all traffic, one carrier or one number.",
    call: null,
    data: Data({
      scope: StringEnum(DELIVERABILITY_SCOPES),
      value: Nullable(Type.String(), { description: "The carrier or number; null for all." }),
      rate: Type.Number({ description: "Delivered texts of the window, as a fraction of 1." }),
      baseline_rate: Type.Number({
        description: "Delivered texts of the 24 hours before, as a fraction of 1.",
      }),
      messages: Type.Integer(),
      window_minutes: Type.Integer(),
    }),
  },
  "spend.threshold_reached": {
    when: "The month's billed amount crossed a threshold of the spend limit.",
    call: null,
    data: Data({
      threshold_percent: Type.Number(),
      limit_usd: Usd({ description: "Monthly limit, in US dollars." }),
      spent_usd: Usd({ description: "Billed amount of the month so far, in US dollars." }),
      period_start: Timestamp(),
    }),
  },
  "automation.run.started": {
    when: "A tracked event started a run: a contact enters an automation's steps.",
    call: "POST /v1/track",
    data: runData,
  },
  "automation.run.completed": {
    when: "A contact went through every step of an automation.",
    call: null,
    data: runData,
  },
  "automation.run.failed": {
    when: "A run of an automation ended early; `reason` holds why.",
    call: null,
    data: runData,
  },
  "automation.run.event": {
    when: "A run executed an `event` step.",
    call: null,
    data: Data({
      run_id: Id("automation_run"),
      automation_id: Id("automation"),
      contact_id: Nullable(Id("contact"), {
        description: "null for a test run without a contact.",
      }),
      phone_number: E164(),
      name: Type.String({ description: "Name given in the step." }),
      properties: Type.Unsafe<Record<string, string | number | boolean>>({
        type: "object",
        additionalProperties: true,
        description: "Properties of the event that started the run.",
      }),
    }),
  },
  "schedule.occurrence_skipped": {
    when: "A recurring schedule did not send one of its occurrences: the person has opted out, or its time was missed.",
    call: null,
    data: Data({
      schedule_id: Id("schedule"),
      reason: StringEnum(OCCURRENCE_SKIP_REASONS),
      occurrence_at: Timestamp(),
    }),
  },
  "schedule.paused": {
    when: "A recurring schedule paused itself.",
    call: null,
    data: Data({
      schedule_id: Id("schedule"),
      reason: StringEnum(SCHEDULE_PAUSE_REASONS),
      occurrence_at: Nullable(Timestamp(), {
        description: "The occurrence that caused the pause.",
      }),
    }),
  },
  "test.ping": {
    when: "A test was sent to a webhook endpoint, which alone gets it.",
    call: "POST /v1/webhooks/{id}/test",
    data: Data({ message: Type.String() }),
  },
  "broadcast.complete": {
    when: "A batch became complete; fires again after a retry.",
    call: "POST /v1/batches",
    data: OwnedData({ batch_id: Id("batch"), counts: BatchCounts }),
  },
});

export type EventType = keyof typeof EVENTS;
export const EVENT_TYPES = Object.keys(EVENTS) as EventType[];

/** `data` of one event type. */
export type EventData<T extends EventType> = Static<(typeof EVENTS)[T]["data"]>;
