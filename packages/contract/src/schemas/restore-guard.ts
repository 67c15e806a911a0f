import { type Static, Type } from "typebox";
import { HELD_KINDS, KEY_MODES } from "../enums.ts";
import { E164, Id, Nullable, Resource, StringEnum, Timestamp } from "../fields.ts";

const Kind = StringEnum(HELD_KINDS, {
  description:
    "`message` waits for its next attempt, `scheduled_message` for its time, `batch` has recipients left, `schedule` recurs, `automation_run` has steps left.",
});

/** Pending work of one kind. */
export const HeldKind = Resource(
  "HeldKind",
  {
    kind: Kind,
    texts: Type.Integer({ description: "Texts that would leave, now or when their time comes." }),
    overdue: Type.Integer({ description: "How many of them should have been done by now." }),
  },
  { description: "Waiting texts of one kind." },
);

/** State of the restore guard, and the work that would be sent without it. */
export const Hold = Resource(
  "Hold",
  {
    object: Type.Literal("hold"),
    held: Type.Boolean({ description: "Whether nothing is sent until the operator releases it." }),
    reason: Nullable(Type.String(), { description: "Reason as a sentence; null when inactive." }),
    since: Nullable(Timestamp(), { description: "Start of the restore guard." }),
    data_until: Nullable(Timestamp(), {
      description: "Time of the newest data. Changes after it are not in this database.",
    }),
    would_send: Type.Array(HeldKind, { description: "Pending work by kind." }),
  },
  {
    description:
      "The restore guard. An installation with a restored database starts with it: work that looks pending may have been sent long ago.",
  },
);
export type Hold = Static<typeof Hold>;

/** One pending item that would send a message. */
export const HeldText = Resource(
  "HeldText",
  {
    object: Type.Literal("held_text"),
    kind: Kind,
    id: Type.String({ description: "Id of the message, batch, schedule or other object." }),
    account_id: Id("account", {
      description: "Customer of the installation that the work belongs to.",
    }),
    mode: StringEnum(KEY_MODES, { description: "`live` reaches phones." }),
    to: Nullable(E164(), { description: "Recipient; null for a batch." }),
    texts: Type.Integer({ description: "Number of texts; more than 1 only for a batch." }),
    due_at: Timestamp({ description: "Due time, which may be past." }),
  },
  { description: "Something that would send a text if there were no hold." },
);
export type HeldText = Static<typeof HeldText>;
