import { Type } from "typebox";
import { AUDIT_ACTION_NAMES } from "../audit-actions.ts";
import { defineRoutes } from "../define.ts";
import { Csv, IdInput, Input, ListQuery, Page, StringEnum, TimestampQuery } from "../fields.ts";
import { AUDIT_LOG_COLUMNS, AuditLog } from "../schemas/audit-log.ts";

const filters = {
  actor: Type.Optional(
    IdInput({
      description:
        "Actor: the id of a key (`key_`) or of a person (`usr_`); or `operator`, or `system`.",
    }),
  ),
  action: Type.Optional(
    StringEnum(AUDIT_ACTION_NAMES, {
      description: "Only changes with this action, such as number.purchased.",
    }),
  ),
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
      "Changes of keys, webhooks, members, numbers, registrations, live access, credit, limits and settings, with their actor. One entry per change, none for refused calls; entries are never changed or deleted.",
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
    description: `Oldest first, with the columns ${AUDIT_LOG_COLUMNS.join(", ")}. The hash of an entry is the SHA-256 of previous_hash followed by text, so anyone can verify that nothing was changed or removed: see docs/audit-log.md. A cell that a spreadsheet would run as a formula starts with an apostrophe.`,
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
    summary: "List the audit log of the installation, or of an account",
    description:
      "Without account_id: the installation's own log, of changes outside any account. With account_id: that account's log.",
    query: ListQuery({
      account_id: Type.Optional(
        IdInput({
          description: "Account whose log to list; without it, the installation's own log.",
        }),
      ),
      ...filters,
    }),
    answers: { 200: Page(AuditLog) },
    errors: [],
    example: { query: { limit: 10 }, status: 200 },
  },
});
