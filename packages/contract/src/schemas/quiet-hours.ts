import { type Static, Type } from "typebox";
import { Input, Nullable, StringEnum } from "../fields.ts";

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

/** Hours without messages. */
export const QuietHoursShown = Type.Object(
  { start, end, zone_source },
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

const QuietHoursGiven = Input({ start, end, zone_source: Type.Optional(zone_source) });
export type QuietHoursGiven = Static<typeof QuietHoursGiven>;

/** Quiet hours in a request, where null means none. */
export function QuietHoursInput(options: { description: string }) {
  return Type.Unsafe<QuietHoursGiven | null>({
    ...Nullable(QuietHoursGiven, options),
    "x-null": "kept",
  });
}
