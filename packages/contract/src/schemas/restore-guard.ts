import { type Static, Type } from "typebox";
import { HELD_KINDS, KEY_MODES } from "../enums.ts";
import { E164, Id, Nullable, Resource, StringEnum, Timestamp } from "../fields.ts";

const Kind = StringEnum(HELD_KINDS, {
  description:
    "`message` waits for its next attempt, `scheduled_message` for its time, `batch` has recipients left, `schedule` recurs, `automation_run` goes on.",
});

/** How much of one kind waits. */
export const HeldKind = Resource(
  "HeldKind",
  {
    kind: Kind,
    texts: Type.Integer({ description: "Texts that would leave, now or when their time comes." }),
    overdue: Type.Integer({ description: "Those of them whose time has passed." }),
  },
  { description: "How many texts of one kind wait." },
);

/** Whether the installation is on hold, and what would leave if it were not. */
export const Hold = Resource(
  "Hold",
  {
    object: Type.Literal("hold"),
    held: Type.Boolean({ description: "Whether nothing is sent until the operator releases it." }),
    reason: Nullable(Type.String(), { description: "Why, as a sentence; null when it is not." }),
    since: Nullable(Timestamp(), { description: "When the hold began." }),
    data_until: Nullable(Timestamp(), {
      description:
        "The last moment that the data knows of. What was done after it is not in this database.",
    }),
    would_send: Type.Array(HeldKind, { description: "What waits, kind by kind." }),
  },
  {
    description:
      "An installation whose database was restored starts on hold: what it believes to be waiting may have been sent long ago.",
  },
);
export type Hold = Static<typeof Hold>;

/** Something that would send a text. */
export const HeldText = Resource(
  "HeldText",
  {
    object: Type.Literal("held_text"),
    kind: Kind,
    id: Type.String({ description: "Of the message, batch or whatever it is." }),
    account_id: Id("account", { description: "Whose it is." }),
    mode: StringEnum(KEY_MODES, { description: "`live` reaches phones." }),
    to: Nullable(E164(), { description: "Who would get it; null for a batch." }),
    texts: Type.Integer({ description: "How many texts; more than 1 only for a batch." }),
    due_at: Timestamp({ description: "When it is to leave, or was to." }),
  },
  { description: "Something that would send a text if there were no hold." },
);
export type HeldText = Static<typeof HeldText>;
