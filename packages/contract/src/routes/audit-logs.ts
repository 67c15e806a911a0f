import { Type } from "typebox";
import { AUDIT_ACTION_NAMES } from "../audit-actions.ts";
import { defineRoutes } from "../define.ts";
import { Csv, IdInput, Input, ListQuery, Page, StringEnum, TimestampQuery } from "../fields.ts";
import { AUDIT_LOG_COLUMNS, AuditLog } from "../schemas/audit-log.ts";

const filters = {
  actor: Type.Optional(
    IdInput({
      description:
        "Who: the id of a key (`key_`) or of a person (`usr_`); or `operator`, or `system`.",
    }),
  ),
  action: Type.Optional(StringEnum(AUDIT_ACTION_NAMES, { description: "What was done." })),
  target: Type.Optional(
    IdInput({ description: "Which thing was changed: its id, or a number in E.164." }),
  ),
  created_after: Type.Optional(
    TimestampQuery({ description: "Inclusive. ISO 8601 with a zone, or epoch milliseconds." }),
  ),
  created_before: Type.Optional(
    TimestampQuery({ description: "Exclusive. ISO 8601 with a zone, or epoch milliseconds." }),
  ),
};

export const auditLogRoutes = defineRoutes({
  "auditLogs.list": {
    method: "GET",
    path: "/v1/audit-logs",
    scope: "audit_logs:read",
    tag: "Audit log",
    summary: "List changes, newest first",
    description:
      "Who changed keys, webhooks, members, numbers, registrations, live access, credit, limits and settings. One entry for each change, none for what was refused; entries are never changed or deleted.",
    query: ListQuery(filters),
    answers: { 200: Page(AuditLog) },
    errors: [],
    example: { query: { action: "webhook.created" }, status: 200 },
  },
  "exports.auditLog": {
    method: "GET",
    path: "/v1/exports/audit_log",
    scope: "audit_logs:read",
    tag: "Exports",
    summary: "Export the audit log as CSV",
    description: `Oldest first, with the columns ${AUDIT_LOG_COLUMNS.join(", ")}. The hash of an entry is the SHA-256 of previous_hash followed by text, so anyone can check that nothing was changed or taken out: docs/audit-log.md says how. A cell that a spreadsheet would run as a formula starts with an apostrophe.`,
    query: Input(filters),
    streams: "text/csv",
    answers: { 200: Csv },
    errors: [],
    example: { query: {}, status: 200 },
  },
  "operator.auditLogs.list": {
    method: "GET",
    path: "/operator/v1/audit-logs",
    scope: "operator",
    tag: "Operator",
    summary: "List changes that concern no account, or those of one",
    description:
      "Without account_id the installation's own log: what was done to what no account owns. With it, that account's.",
    query: ListQuery({
      account_id: Type.Optional(IdInput({ description: "Whose log: an account's id." })),
      ...filters,
    }),
    answers: { 200: Page(AuditLog) },
    errors: [],
    example: { query: { limit: 10 }, status: 200 },
  },
});
