import { type Static, Type } from "typebox";
import { BATCH_SOURCES, REJECTION_REASONS } from "../enums.ts";
import { FAILURE_CODES } from "../failures.ts";
import {
  BatchCounts,
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
import { idPattern } from "../ids.ts";
import { BATCH_RECIPIENT_STATUSES, batchMachine } from "../machines/batch.ts";
import { messageMachine } from "../machines/message.ts";
import { MetadataOf } from "../metadata.ts";
import { ownQuietHours } from "./quiet-hours.ts";

export const RejectedRow = Resource(
  "RejectedRow",
  {
    index: Type.Integer({ description: "Index of the row in the upload, from 0." }),
    to: Type.String({ description: "The number as uploaded." }),
    reason: StringEnum(REJECTION_REASONS),
    detail: Type.String({ description: "Sentence that explains the problem." }),
  },
  { description: "A row that gets no text, and why." },
);
export type RejectedRow = Static<typeof RejectedRow>;

const batchFields = {
  id: Id("batch"),
  object: Type.Literal("batch"),
  name: Nullable(Type.String()),
  status: StringEnum(batchMachine.states),
  mode: ModeOf("the batch"),
  from: E164(),
  body: Type.String({ description: "The body as uploaded, with its merge variables." }),
  customer_id: Nullable(Id("customer"), {
    description: "The customer the from-number was assigned to when the batch was made.",
  }),
  topic_id: Nullable(Id("topic")),
  scheduled_at: Nullable(Timestamp()),
  valid_for: Nullable(Type.Integer(), {
    description:
      "Seconds from acceptance, or from scheduled_at, within which a carrier must take each text; otherwise it fails `expired`. null: as long as it is tried.",
  }),
  ...ownQuietHours,
  metadata: MetadataOf("the batch; its messages inherit them"),
  audience: Type.Object(
    {
      source: StringEnum(BATCH_SOURCES, {
        description: "Field of the request that chose the recipients.",
      }),
      segment_id: Nullable(Id("segment"), {
        description: "The segment, whose contacts were read when the batch was made.",
      }),
      tags: Nullable(Type.Array(Type.String()), {
        description: "Tags, any of which the contacts had.",
      }),
    },
    { additionalProperties: false, description: "Choice of the recipients." },
  ),
  created_by: Type.String({
    pattern: `(${idPattern("api_key")})|(${idPattern("user")})`,
    description: "The key, or the person in the console, that made the batch.",
  }),
  counts: BatchCounts,
  created_at: Timestamp(),
  started_at: Nullable(Timestamp()),
  completed_at: Nullable(Timestamp(), {
    description: "Time when the batch became complete; null again while a retry runs.",
  }),
  canceled_at: Nullable(Timestamp()),
};

export const Batch = Resource("Batch", batchFields);
export type Batch = Static<typeof Batch>;

export const CreatedBatch = Resource(
  "CreatedBatch",
  {
    ...batchFields,
    rejected: Type.Array(RejectedRow, {
      description: "The rows that get no text. Only here: later reads leave it out.",
    }),
  },
  { description: "A batch as it was made, with the rows that were left out." },
);
export type CreatedBatch = Static<typeof CreatedBatch>;

export const ControlledBatch = Resource(
  "ControlledBatch",
  {
    ...batchFields,
    affected: Type.Integer({
      description: "Number of recipients that were paused, queued again or canceled.",
    }),
    sweep_complete: Type.Boolean({
      description:
        "true: every recipient has been reached, and after a cancel nothing more leaves. false: call again.",
    }),
  },
  { description: "A batch after a pause, resume, cancel or retry." },
);
export type ControlledBatch = Static<typeof ControlledBatch>;

export const BatchValidation = Resource(
  "BatchValidation",
  {
    object: Type.Literal("batch_validation"),
    total: Type.Integer({ description: "Number of uploaded rows." }),
    valid: Type.Integer({ description: "The rows that would get a text." }),
    rejected: Type.Array(RejectedRow),
    duplicates: Type.Integer(),
    opted_out: Type.Integer(),
    malformed: Type.Integer(),
    landlines: Nullable(Type.Integer(), { description: "null unless check_line_types." }),
    segments: Type.Object(
      {
        min: Type.Integer({ description: "Segments of the shortest text; 0 without a valid row." }),
        max: Type.Integer(),
        total: Type.Integer({ description: "Over all valid rows." }),
      },
      { additionalProperties: false },
    ),
    estimated_cost_usd: Usd({
      description:
        "Price with this key now: 0 in the sandbox; the remaining free allowance is deducted.",
    }),
    waiting: Type.Object(
      {
        count: Type.Integer({ description: "Rows that quiet hours would hold at the start." }),
        until: Nullable(Timestamp(), {
          description: "Time at which the last of them would leave; null without any.",
        }),
      },
      {
        additionalProperties: false,
        description: "Texts that quiet hours would hold if the batch began at its time, or now.",
      },
    ),
    preview: Type.Array(
      Type.Object({ to: E164(), body: Type.String() }, { additionalProperties: false }),
      { description: "The first three texts as they would be sent." },
    ),
  },
  { description: "Preview of a batch. Nothing is stored." },
);
export type BatchValidation = Static<typeof BatchValidation>;

export const BatchRecipient = Resource("BatchRecipient", {
  object: Type.Literal("batch_recipient"),
  index: Type.Integer({
    description: "Index of the row in the upload, from 0. Rejected rows leave gaps.",
  }),
  to: E164(),
  status: StringEnum(BATCH_RECIPIENT_STATUSES),
  variables: Type.Record(Type.String(), Type.String()),
  metadata: MetadataOf("this recipient alone"),
  message_id: Nullable(Id("message"), {
    description: "The text, or the latest one after a retry.",
  }),
  attempts: Type.Integer({
    description:
      "Tries of this batch, retries included; the carrier's own retries are not counted.",
  }),
  message_status: Nullable(StringEnum(messageMachine.states), {
    description: "Status of the text now, receipts included; null without one.",
  }),
  delivered_at: Nullable(Timestamp(), {
    description: "Time when the carrier confirmed delivery of the text.",
  }),
  failure: Nullable(Failure, {
    description: "Reason why the recipient failed or was skipped, or why the text failed later.",
  }),
  updated_at: Timestamp(),
});
export type BatchRecipient = Static<typeof BatchRecipient>;

/** Columns of exported recipients; each merge variable follows in `variables`, as JSON. */
export const BATCH_RECIPIENT_CSV_COLUMNS = [
  "index",
  "to",
  "status",
  "message_status",
  "failure_code",
  "failure",
  "delivered_at",
  "message_id",
  "attempts",
  "variables",
  "updated_at",
] as const;

export const BatchResults = Resource("BatchResults", {
  object: Type.Literal("batch_results"),
  batch_id: Id("batch"),
  attempted: Type.Integer({
    description: "Recipients with a text, each once by its newest: delivered + failed + pending.",
  }),
  delivered: Type.Integer(),
  failed: Type.Integer({
    description:
      "Recipients whose newest text failed, one refused at once included. Recipients that failed before there was a text are in failures alone.",
  }),
  pending: Type.Integer({ description: "Accepted by the carrier, without a final receipt." }),
  no_receipt: Type.Integer({
    description: "Pending texts sent more than 72 hours ago: no receipt will come.",
  }),
  replies: Type.Integer({
    description:
      "Texts from recipients to the sending number, from their own text until reply_window_hours after the batch finished, without STOP, START and HELP.",
  }),
  stops: Type.Integer({
    description: "Recipients who opted out in that time and still are opted out.",
  }),
  spent_usd: Usd({ description: "Sum of the prices of all texts." }),
  failures: Type.Array(
    Type.Object(
      { code: StringEnum(FAILURE_CODES), title: Type.String(), count: Type.Integer() },
      { additionalProperties: false },
    ),
    { description: "failed, by reason, the most frequent first." },
  ),
  partial: Type.Boolean({
    description:
      "true when a bound of reading was hit: delivered and replies are then at least so many.",
  }),
  reply_window_hours: Type.Integer(),
});
export type BatchResults = Static<typeof BatchResults>;
