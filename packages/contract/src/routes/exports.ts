import { Type } from "typebox";
import { defineRoutes } from "../define.ts";
import { Csv, IdInput, Input } from "../fields.ts";
import { CONTACT_COLUMNS } from "../schemas/contact.ts";
import { WEBHOOK_DELIVERY_COLUMNS } from "../schemas/webhook.ts";

export const exportRoutes = defineRoutes({
  "exports.contacts": {
    method: "GET",
    path: "/v1/exports/contacts",
    scope: "contacts",
    tag: "Exports",
    summary: "Export contacts as CSV",
    description: `Newest first, with the columns ${CONTACT_COLUMNS.join(", ")}; tags are separated by semicolons, attributes are JSON. A cell that a spreadsheet would run as a formula starts with an apostrophe.`,
    query: Input({
      segment_id: Type.Optional(
        IdInput({ description: "Only contacts in this segment at the time of export." }),
      ),
    }),
    streams: "text/csv",
    answers: { 200: Csv },
    errors: [],
    example: { status: 200 },
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
