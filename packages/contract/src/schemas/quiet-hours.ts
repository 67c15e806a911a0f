import { type Static, Type } from "typebox";
import { Input, Nullable, StringEnum } from "../fields.ts";

export const TIME_OF_DAY_PATTERN = "^([01][0-9]|2[0-3]):[0-5][0-9]$";
const ZONE_SOURCES = ["area_code"] as const;

const start = Type.String({
  pattern: TIME_OF_DAY_PATTERN,
  description: "When they begin, as HH:MM on the recipient's clock.",
});
const end = Type.String({
  pattern: TIME_OF_DAY_PATTERN,
  description: "When they are over, as HH:MM; at that minute texts leave again.",
});
const zone_source = StringEnum(ZONE_SOURCES, {
  description:
    "How the recipient's time is known: by the zones of the area code. Where it has several, it has to be day in all of them.",
});

/** The hours in which people are not texted. */
export const QuietHoursShown = Type.Object(
  { start, end, zone_source },
  { additionalProperties: false },
);
export type QuietHoursShown = Static<typeof QuietHoursShown>;

/** What a batch or a scheduled message says of its own, which may be that there are none. */
export const ownQuietHours = {
  quiet_hours: Nullable(QuietHoursShown, {
    description: "Its own hours in which people are not texted; null: it has none of its own.",
  }),
  uses_account_quiet_hours: Type.Boolean({
    description:
      "Whether the account's quiet hours hold for it, as they are when a text is due. false: quiet_hours does, and where that is null, none.",
  }),
};

const QuietHoursGiven = Input({ start, end, zone_source: Type.Optional(zone_source) });
export type QuietHoursGiven = Static<typeof QuietHoursGiven>;

/** The same in a request, where null says that there are none. */
export function QuietHoursInput(options: { description: string }) {
  return Type.Unsafe<QuietHoursGiven | null>({
    ...Nullable(QuietHoursGiven, options),
    "x-null": "kept",
  });
}
