import { Type } from "typebox";
import { defineRoutes, type RouteSpec } from "../define.ts";
import { FAILURE_CODES } from "../failures.ts";
import {
  IdInput,
  Input,
  ListQuery,
  ModeFilter,
  NOT_BLANK_PATTERN,
  Nullable,
  Page,
  SingleLine,
  StringEnum,
  TimestampInput,
  ValidFor,
} from "../fields.ts";
import {
  BATCH_NAME_CHARS_MAX,
  BATCH_RECIPIENTS_MAX,
  BATCH_VARIABLE_CHARS_MAX,
  BATCH_VARIABLES_MAX,
  LARGE_BODY_BYTES_MAX,
  MESSAGE_BODY_CHARS_MAX,
  RECIPIENT_PAGE_ITEMS_DEFAULT,
  RECIPIENT_PAGE_ITEMS_MAX,
  SEARCH_CHARS_MAX,
  TAG_CHARS_MAX,
  TAGS_PER_CONTACT_MAX,
} from "../limits.ts";
import {
  BATCH_RECIPIENT_OUTCOMES,
  BATCH_RECIPIENT_STATUSES,
  batchMachine,
} from "../machines/batch.ts";
import { messageMachine } from "../machines/message.ts";
import { MetadataInput } from "../metadata.ts";
import {
  Batch,
  BatchRecipient,
  BatchResults,
  BatchValidation,
  ControlledBatch,
  CreatedBatch,
} from "../schemas/batch.ts";
import { QuietHoursInput } from "../schemas/quiet-hours.ts";
import { VARIABLE_NAME_CHARS_MAX } from "../text/merge.ts";

const TAG = "Batches";
const EXAMPLE_BATCH = { id: "bat_01jd0000000000000000000000" };
const batchParams = Input({ id: Type.String() });
/** The request is refused above this length; a shorter invalid number only rejects its row. */
const RECIPIENT_CHARS_MAX = 256;

const Recipient = Input({
  to: Type.String({
    maxLength: RECIPIENT_CHARS_MAX,
    description: "A US or Canada number. Any other value becomes a rejected row.",
  }),
  variables: Type.Optional(
    Type.Record(
      Type.String({ maxLength: VARIABLE_NAME_CHARS_MAX }),
      Type.String({ maxLength: BATCH_VARIABLE_CHARS_MAX }),
      { maxProperties: BATCH_VARIABLES_MAX, description: "Values of the merge variables." },
    ),
  ),
  metadata: Type.Optional(
    MetadataInput({
      description: "Metadata of this recipient's message, beside and before the batch's.",
    }),
  ),
});

const fields = {
  name: SingleLine({ maxLength: BATCH_NAME_CHARS_MAX, description: "A label for your own use." }),
  body: Type.String({
    minLength: 1,
    maxLength: MESSAGE_BODY_CHARS_MAX,
    description:
      "The text. {{name}} inserts the recipient's variable, {{name|there}} has a fallback.",
  }),
  scheduled_at: TimestampInput({
    description: "In the future, at most 30 days ahead: ISO 8601 or epoch ms.",
  }),
};

/** Common shape of pause, resume, cancel and retry: no body, and the batch in the response. */
function control(action: string, summary: string, description: string) {
  return {
    method: "POST",
    path: `/v1/batches/{id}/${action}`,
    scope: "messages:send",
    tag: TAG,
    summary,
    description,
    params: batchParams,
    answers: { 200: ControlledBatch },
    errors: ["not_found", "invalid_state"],
    example: { params: EXAMPLE_BATCH, status: 200 },
  } as const satisfies RouteSpec;
}

export const batchRoutes = defineRoutes({
  "batches.create": {
    method: "POST",
    path: "/v1/batches",
    heavy: true,
    scope: "messages:send",
    tag: TAG,
    summary: "Send one text to many recipients",
    description:
      "Numbers are normalised, deduplicated and checked against opt-outs; rejected rows are returned in `rejected`. Give exactly one of recipients, tags, contact_ids and segment_id. With dry_run nothing is stored or sent. Every recipient is checked again before sending.",
    bodyBytesMax: LARGE_BODY_BYTES_MAX,
    body: Input({
      from: Type.String({
        minLength: 1,
        maxLength: 64,
        description:
          "Sending number: one of the account, of the key's mode. A sender pool is refused.",
      }),
      body: fields.body,
      name: Type.Optional(fields.name),
      recipients: Type.Optional(Type.Array(Recipient, { maxItems: BATCH_RECIPIENTS_MAX })),
      tags: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: TAG_CHARS_MAX }), {
          minItems: 1,
          maxItems: TAGS_PER_CONTACT_MAX,
          description: "Contacts with any of these tags.",
        }),
      ),
      contact_ids: Type.Optional(
        Type.Array(IdInput(), { minItems: 1, maxItems: BATCH_RECIPIENTS_MAX }),
      ),
      segment_id: Type.Optional(
        IdInput({ description: "A saved segment, evaluated when the batch is made." }),
      ),
      topic_id: Type.Optional(
        IdInput({ description: "Leaves out who is not subscribed to this topic." }),
      ),
      scheduled_at: Type.Optional(fields.scheduled_at),
      quiet_hours: Type.Optional(
        QuietHoursInput({
          description: "Instead of the account's quiet hours, for this batch alone; null: none.",
        }),
      ),
      valid_for: Type.Optional(
        ValidFor({
          description:
            "Seconds, 60 to 259,200, from acceptance (of a scheduled batch from its time): rows that no carrier has taken by then fail `expired`, free of charge.",
        }),
      ),
      metadata: Type.Optional(
        MetadataInput({ description: "Every message of the batch inherits it." }),
      ),
      dry_run: Type.Optional(Type.Boolean({ description: "Only preview the batch and its cost." })),
      check_line_types: Type.Optional(
        Type.Boolean({
          description: "Leave out landlines, among the first 500 different numbers.",
        }),
      ),
    }),
    answers: { 200: BatchValidation, 201: CreatedBatch },
    answersWith: { dry_run: BatchValidation },
    errors: ["no_valid_recipients", "sender_not_owned", "mode_mismatch"],
    example: {
      body: {
        from: "+15005550100",
        body: "Hi {{name|there}}, we open at 9 on Saturday.",
        recipients: [{ to: "+15005550000", variables: { name: "Ada" } }, { to: "+15005550009" }],
      },
      status: 201,
    },
  },
  "batches.list": {
    method: "GET",
    path: "/v1/batches",
    scope: "messages:read",
    tag: TAG,
    summary: "List batches, newest first",
    description: "With their counts as they are now.",
    query: ListQuery({
      status: Type.Optional(StringEnum(batchMachine.states)),
      q: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: SEARCH_CHARS_MAX,
          pattern: NOT_BLANK_PATTERN,
          description: "A part of the name or of the text, in any case.",
        }),
      ),
      mode: Type.Optional(ModeFilter),
    }),
    answers: { 200: Page(Batch) },
    errors: [],
    example: { query: { status: "complete" }, status: 200 },
  },
  "batches.get": {
    method: "GET",
    path: "/v1/batches/{id}",
    scope: "messages:read",
    tag: TAG,
    summary: "Read a batch with its live counts",
    description: "The counts are exact at the moment of the answer.",
    params: batchParams,
    answers: { 200: Batch },
    errors: ["not_found"],
    example: { params: EXAMPLE_BATCH, status: 200 },
  },
  "batches.update": {
    method: "PATCH",
    path: "/v1/batches/{id}",
    heavy: true,
    scope: "messages:send",
    tag: TAG,
    summary: "Change a scheduled batch",
    description:
      "Absent fields stay unchanged; `valid_for` counts from the new time. Recipients and their variables stay as they are: a body with a variable that a recipient lacks is refused unless it has a fallback. Once the batch sends, only pause, resume and cancel are left.",
    params: batchParams,
    nullClears: true,
    body: Input({
      name: Type.Optional(Nullable(fields.name, { description: "The new label; null: none." })),
      body: Type.Optional(fields.body),
      scheduled_at: Type.Optional(fields.scheduled_at),
    }),
    answers: { 200: Batch },
    errors: ["not_found", "invalid_state"],
    example: {
      params: EXAMPLE_BATCH,
      body: { body: "Hi {{name|there}}, we open at 10 on Saturday." },
      status: 200,
    },
  },
  "batches.recipients": {
    method: "GET",
    path: "/v1/batches/{id}/recipients",
    scope: "messages:read",
    tag: TAG,
    summary: "List a batch's recipients, in upload order",
    description: "Each with its text and its result.",
    params: batchParams,
    query: ListQuery(
      {
        status: Type.Optional(StringEnum(BATCH_RECIPIENT_STATUSES)),
        message_status: Type.Optional(
          StringEnum(messageMachine.states, {
            description: "Only recipients whose text has this status now.",
          }),
        ),
        outcome: Type.Optional(
          StringEnum(BATCH_RECIPIENT_OUTCOMES, {
            description:
              "Only recipients who ended so: `status`, with receipts counted. `failed` has every failure of the results, before and after the text left.",
          }),
        ),
        failure_code: Type.Optional(
          StringEnum(FAILURE_CODES, {
            description: "Only recipients whose failure has this code.",
          }),
        ),
      },
      { max: RECIPIENT_PAGE_ITEMS_MAX, default: RECIPIENT_PAGE_ITEMS_DEFAULT },
    ),
    answers: { 200: Page(BatchRecipient) },
    errors: ["not_found"],
    example: { params: EXAMPLE_BATCH, query: { limit: 500 }, status: 200 },
  },
  "batches.results": {
    method: "GET",
    path: "/v1/batches/{id}/results",
    scope: "messages:read",
    tag: TAG,
    summary: "Read the results of a batch: deliveries, failures, replies, stops and cost",
    description:
      "Derived from the texts themselves; may be a minute old while numbers can still move.",
    params: batchParams,
    answers: { 200: BatchResults },
    errors: ["not_found"],
    example: { params: EXAMPLE_BATCH, status: 200 },
  },
  "batches.pause": control(
    "pause",
    "Pause a batch",
    "From scheduled or sending. Holds every text that no carrier has yet; texts at a carrier still arrive.",
  ),
  "batches.resume": control(
    "resume",
    "Resume a paused batch",
    "Back to scheduled if its time is still ahead, else to sending, paced from now.",
  ),
  "batches.cancel": control(
    "cancel",
    "Cancel a batch",
    "From scheduled, sending or paused. Cancels every text that no carrier has yet; after `sweep_complete` nothing more is sent.",
  ),
  "batches.retry": {
    ...control(
      "retry",
      "Retry the failed recipients that can succeed later",
      "From complete. Recipients that failed for lack of credit, quota, rate or a carrier are queued again, up to three attempts each; a recipient who may have got the text is never texted again.",
    ),
    errors: ["not_found", "invalid_state", "retry_in_progress"],
  },
});
