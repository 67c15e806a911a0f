import { type Static, Type } from "typebox";
import { AUDIT_ACTION_NAMES, AUDIT_ACTORS } from "../audit-actions.ts";
import { Id, Nullable, Resource, StringEnum, Timestamp } from "../fields.ts";

/** One change: who made it, to what, and what is different since. */
export const AuditLog = Resource(
  "AuditLog",
  {
    id: Id("audit_log"),
    object: Type.Literal("audit_log"),
    action: StringEnum(AUDIT_ACTION_NAMES, {
      description: "What was done, as resource.verb; docs/audit-actions.md has them all.",
    }),
    actor: Type.Object(
      {
        type: StringEnum(AUDIT_ACTORS, { description: "What kind of somebody it was." }),
        id: Nullable(Type.String(), {
          description:
            "The key (`key_`) or the person (`usr_`); null for the operator's token and the system.",
        }),
        name: Nullable(Type.String(), { description: "What they were called at the time." }),
      },
      { additionalProperties: false, description: "Who made the change." },
    ),
    target: Type.Object(
      {
        type: Type.String({ description: "What kind of thing was changed." }),
        id: Type.String({ description: "Which one: its id, or a number in E.164." }),
      },
      { additionalProperties: false, description: "What was changed." },
    ),
    changes: Type.Unsafe<Record<string, unknown>>({
      type: "object",
      additionalProperties: true,
      description: "What is different since, by field; secrets never.",
    }),
    ip: Nullable(Type.String(), { description: "The address that the call came from." }),
    created_at: Timestamp({ description: "When it was written, together with the change." }),
  },
  { description: "One change: who made it, to what, and what is different since." },
);
export type AuditLog = Static<typeof AuditLog>;

/** The columns of the export. The last four are what the chain is checked by. */
export const AUDIT_LOG_COLUMNS = [
  "id",
  "created_at",
  "action",
  "actor_type",
  "actor_id",
  "actor_name",
  "target_type",
  "target_id",
  "changes",
  "ip",
  "seq",
  "previous_hash",
  "hash",
  "text",
] as const;
