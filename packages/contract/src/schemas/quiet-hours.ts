import { type Static, Type } from "typebox";
import { Id, Input, Nullable, Resource, StringEnum, Timestamp } from "../fields.ts";
import { WEEKDAYS } from "../phone/quiet-law.ts";

export const TIME_OF_DAY_PATTERN = "^([01][0-9]|2[0-3]):[0-5][0-9]$";
const ZONE_SOURCES = ["area_code"] as const;

const start = Type.String({
  pattern: TIME_OF_DAY_PATTERN,
  description: "Start, as HH:MM on the recipient's clock.",
});
const end = Type.String({
  pattern: TIME_OF_DAY_PATTERN,
  description: "End, as HH:MM; texts are sent again from that minute.",
});
const zone_source = StringEnum(ZONE_SOURCES, {
  description:
    "The recipient's time zones are those of the area code. With several, quiet hours end once all of them are past `end`.",
});

const by_law = Type.Boolean({
  description:
    "true: texts also wait for the hours that the law of the recipient's state allows on that weekday, by the installation's table.",
});

/** Hours without messages. */
export const QuietHoursShown = Type.Object(
  { start, end, zone_source, by_law: Type.Optional(by_law) },
  { additionalProperties: false },
);
export type QuietHoursShown = Static<typeof QuietHoursShown>;

/**
 * Quiet hours of a batch or a scheduled message, which may override the account's, even with none.
 */
export const ownQuietHours = {
  quiet_hours: Nullable(QuietHoursShown, {
    description: "Its own hours in which people are not texted; null: it has none of its own.",
  }),
  uses_account_quiet_hours: Type.Boolean({
    description:
      "true: the account's quiet hours at the due time apply. false: `quiet_hours` applies, and null means none.",
  }),
};

const QuietHoursGiven = Input({
  start,
  end,
  zone_source: Type.Optional(zone_source),
  by_law: Type.Optional(by_law),
});
export type QuietHoursGiven = Static<typeof QuietHoursGiven>;

/** Quiet hours in a request, where null means none. */
export function QuietHoursInput(options: { description: string }) {
  return Type.Unsafe<QuietHoursGiven | null>({
    ...Nullable(QuietHoursGiven, options),
    "x-null": "kept",
  });
}

const lawfulHours = Type.Array(
  Type.Object(
    {
      region: Type.String({
        description: "US, or a state, whose row replaces that of the US on its days.",
      }),
      days: Type.Array(StringEnum(WEEKDAYS), {
        description: "Weekdays on the recipient's calendar.",
      }),
      from: Type.String({
        description: "First allowed minute, HH:MM on the recipient's clock.",
      }),
      until: Type.String({
        description: "First minute that is no longer allowed. Equal to `from`: none of the day.",
      }),
      source: Type.String({ description: "Statute, or advice, that the row follows." }),
    },
    { additionalProperties: false },
  ),
  { description: "Rows of the table." },
);

/** Hours in which the law allows marketing texts. */
export const QuietLawTable = Resource(
  "QuietLawTable",
  {
    object: Type.Literal("quiet_law"),
    edition: Type.String({
      description: "The operator names each table; `2026-11` is the built-in one.",
    }),
    hours: lawfulHours,
  },
  { description: "Hours in which the law allows marketing texts, by state and weekday." },
);
export type QuietLawTable = Static<typeof QuietLawTable>;

/** An edition of the lawful hours that the operator set. */
export const QuietLawEdition = Resource(
  "QuietLawEdition",
  {
    object: Type.Literal("quiet_law_edition"),
    id: Id("quiet_law"),
    edition: Type.String({
      description: "Name that the operator gave the table, such as 2026-11.",
    }),
    hours: lawfulHours,
    in_force: Type.Boolean({ description: "Whether it is the newest one, which holds." }),
    created_by: Nullable(
      Type.Object(
        {
          id: Nullable(Type.String({ description: "Id of the token, or null." })),
          name: Nullable(Type.String({ description: "Name of the token or the person." })),
        },
        { additionalProperties: false },
      ),
      { description: "The operator's token or person that set it." },
    ),
    created_at: Timestamp({ description: "Time from which it held." }),
  },
  { description: "Edition of the lawful hours, with its time and author." },
);
export type QuietLawEdition = Static<typeof QuietLawEdition>;
