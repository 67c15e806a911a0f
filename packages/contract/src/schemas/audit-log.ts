import { type Static, Type } from "typebox";
import { AUDIT_ACTION_NAMES, AUDIT_ACTORS } from "../audit-actions.ts";
import { Id, Nullable, Resource, StringEnum, Timestamp } from "../fields.ts";

/** One change: actor, target and differences. */
export const AuditLog = Resource(
  "AuditLog",
  {
    id: Id("audit_log"),
    object: Type.Literal("audit_log"),
    action: StringEnum(AUDIT_ACTION_NAMES, {
      description: "Action as resource.verb; docs/audit-actions.md lists them all.",
    }),
    actor: Type.Object(
      {
        type: StringEnum(AUDIT_ACTORS, {
          description:
            "An API key, an operator token, a person in the console, or the system itself.",
        }),
        id: Nullable(Type.String(), {
          description:
            "The key (`key_`), the person (`usr_`) or the named operator token (`opt_`); null for the installation's own token and the system.",
        }),
        name: Nullable(Type.String(), { description: "Name of the actor at the time." }),
      },
      { additionalProperties: false, description: "Key, person or system that made the change." },
    ),
    target: Type.Object(
      {
        type: Type.String({ description: "Kind of the changed object, such as `number`." }),
        id: Type.String({ description: "Which one: its id, or a number in E.164." }),
      },
      { additionalProperties: false, description: "The changed object." },
    ),
    changes: Type.Record(
      Type.String(),
      Type.Object(
        {
          from: Type.Unknown({ description: "Value before; null: there was none." }),
          to: Type.Unknown({ description: "Value after; null: there is none any more." }),
        },
        { additionalProperties: false },
      ),
      { description: "Each changed field with its value before and after; never secrets." },
    ),
    ip: Nullable(Type.String(), { description: "The address that the call came from." }),
    created_at: Timestamp({ description: "Time of the change and of its entry." }),
  },
  { description: "One change, with its actor, target and differences." },
);
export type AuditLog = Static<typeof AuditLog>;

/** Columns of the export. The last four verify the hash chain. */
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
