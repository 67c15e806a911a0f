import { Type } from "typebox";
import { CONTACT_COLUMNS } from "../contact-csv.ts";
import { defineRoutes } from "../define.ts";
import { CONSENT_STATUSES, MESSAGE_DIRECTIONS } from "../enums.ts";
import { EVENT_TYPES } from "../events.ts";
import { FAILURE_CODES } from "../failures.ts";
import { Csv, IdInput, Input, PhoneInput, StringEnum, TimestampQuery } from "../fields.ts";
import { NAME_CHARS_MAX, SEARCH_CHARS_MAX } from "../limits.ts";
import { BATCH_RECIPIENT_OUTCOMES } from "../machines/batch.ts";
import { messageMachine } from "../machines/message.ts";
import { BATCH_RECIPIENT_CSV_COLUMNS } from "../schemas/batch.ts";
import { CONSENT_CSV_COLUMNS } from "../schemas/consent.ts";
import { ContactTag } from "../schemas/contact.ts";
import { EVENT_CSV_COLUMNS } from "../schemas/event.ts";
import { MESSAGE_CSV_COLUMNS } from "../schemas/message.ts";
import { WEBHOOK_DELIVERY_COLUMNS } from "../schemas/webhook.ts";

const FORMULAS =
  "A cell that a spreadsheet would run as a formula starts with an apostrophe. The file is streamed, whatever its size.";
const CreatedAfter = TimestampQuery({
  description: "Inclusive. ISO 8601 with a zone, or epoch milliseconds.",
});
const CreatedBefore = TimestampQuery({
  description: "Exclusive. ISO 8601 with a zone, or epoch milliseconds.",
});

export const exportRoutes = defineRoutes({
  "exports.messages": {
    method: "GET",
    path: "/v1/exports/messages",
    scope: "messages:read",
    tag: "Exports",
    summary: "Export messages as CSV",
    description: `The messages that GET /v1/messages lists with the same filters, newest first, with the columns ${MESSAGE_CSV_COLUMNS.join(", ")}. ${FORMULAS}`,
    query: Input({
      number: Type.Optional(PhoneInput({ description: "To or from this number." })),
      to: Type.Optional(PhoneInput({ description: "Only messages to exactly this number." })),
      from: Type.Optional(PhoneInput({ description: "Only messages from exactly this number." })),
      batch_id: Type.Optional(
        IdInput({ description: "Only messages that are rows of this batch." }),
      ),
      failure_code: Type.Optional(
        StringEnum(FAILURE_CODES, { description: "Only messages that failed for this reason." }),
      ),
      carrier: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: NAME_CHARS_MAX,
          description: "Only messages that went to this carrier.",
        }),
      ),
      status: Type.Optional(StringEnum(messageMachine.states)),
      direction: Type.Optional(StringEnum(MESSAGE_DIRECTIONS)),
      created_after: Type.Optional(CreatedAfter),
      created_before: Type.Optional(CreatedBefore),
      customer_id: Type.Optional(
        IdInput({ description: "Messages of this customer, also of one that was deleted." }),
      ),
    }),
    streams: "text/csv",
    answers: { 200: Csv },
    errors: ["unknown_customer"],
    example: { query: { status: "failed" }, status: 200 },
  },
  "exports.events": {
    method: "GET",
    path: "/v1/exports/events",
    scope: "webhooks",
    tag: "Exports",
    summary: "Export events as CSV",
    description: `The events of the last 30 days, newest first, with the columns ${EVENT_CSV_COLUMNS.join(", ")}; data is JSON. ${FORMULAS}`,
    query: Input({
      type: Type.Optional(StringEnum(EVENT_TYPES)),
      phone: Type.Optional(PhoneInput({ description: "Only events that name this number." })),
      created_after: Type.Optional(CreatedAfter),
      created_before: Type.Optional(CreatedBefore),
    }),
    streams: "text/csv",
    answers: { 200: Csv },
    errors: [],
    example: { query: { type: "message.delivered" }, status: 200 },
  },
  "exports.consent": {
    method: "GET",
    path: "/v1/exports/consent",
    scope: "consent",
    tag: "Exports",
    summary: "Export consent states as CSV",
    description: `The states that GET /v1/consent lists with the same filters, newest first, with the columns ${CONSENT_CSV_COLUMNS.join(", ")}. GET /v1/consent/{phone}/proof has the history of one number as evidence. ${FORMULAS}`,
    query: Input({
      status: Type.Optional(StringEnum(CONSENT_STATUSES)),
      customer_id: Type.Optional(IdInput({ description: "States of this customer alone." })),
    }),
    streams: "text/csv",
    answers: { 200: Csv },
    errors: ["unknown_customer"],
    example: { query: { status: "opted_out" }, status: 200 },
  },
  "exports.contacts": {
    method: "GET",
    path: "/v1/exports/contacts",
    scope: "contacts",
    tag: "Exports",
    summary: "Export contacts as CSV",
    description: `The contacts that GET /v1/contacts lists with the same filters, newest first, with the columns ${CONTACT_COLUMNS.join(", ")}; tags are separated by semicolons, attributes are JSON. A cell that a spreadsheet would run as a formula starts with an apostrophe.`,
    query: Input({
      segment_id: Type.Optional(
        IdInput({ description: "Only contacts in this segment at the time of export." }),
      ),
      tag: Type.Optional(ContactTag),
      phone_number: Type.Optional(
        PhoneInput({ description: "The contact with this number: one or none." }),
      ),
      q: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: SEARCH_CHARS_MAX,
          description:
            "A part of the name, the email address or the company in any case, or of the number's digits.",
        }),
      ),
    }),
    streams: "text/csv",
    answers: { 200: Csv },
    errors: [],
    example: { status: 200 },
  },
  "exports.batchRecipients": {
    method: "GET",
    path: "/v1/exports/batches/{id}/recipients",
    scope: "messages:read",
    tag: "Exports",
    summary: "Export a batch's recipients with their results as CSV",
    description: `The recipients that GET /v1/batches/{id}/recipients lists with the same filters, in upload order, with the columns ${BATCH_RECIPIENT_CSV_COLUMNS.join(", ")}; variables are JSON. ${FORMULAS}`,
    params: Input({ id: IdInput({ description: "Id of the batch whose recipients to export." }) }),
    query: Input({
      outcome: Type.Optional(
        StringEnum(BATCH_RECIPIENT_OUTCOMES, {
          description: "Only recipients who ended so, with receipts counted.",
        }),
      ),
      failure_code: Type.Optional(
        StringEnum(FAILURE_CODES, {
          description: "Only recipients whose failure has this code.",
        }),
      ),
    }),
    streams: "text/csv",
    answers: { 200: Csv },
    errors: ["not_found"],
    example: { params: { id: "bat_01jd0000000000000000000000" }, status: 200 },
  },
  "exports.webhookDeliveries": {
    method: "GET",
    path: "/v1/exports/webhook_deliveries",
    scope: "webhooks",
    tag: "Exports",
    summary: "Export the webhook delivery log as CSV",
    description: `Newest first, with the columns ${WEBHOOK_DELIVERY_COLUMNS.join(", ")}. A cell that a spreadsheet would run as a formula starts with an apostrophe.`,
    query: Input({
      endpoint_id: Type.Optional(IdInput({ description: "Attempts at one endpoint." })),
      ok: Type.Optional(
        Type.Boolean({ description: "Only successful attempts, or only failed ones." }),
      ),
    }),
    streams: "text/csv",
    answers: { 200: Csv },
    errors: [],
    example: { query: { ok: false }, status: 200 },
  },
});
