import { type Static, Type } from "typebox";
import { Nullable, Resource, SingleLine } from "../fields.ts";
import {
  NETWORK_LIMITS_MAX,
  NETWORK_NAME_CHARS_MAX,
  SEGMENTS_PER_DAY_MAX,
  SEGMENTS_PER_MINUTE_MAX,
} from "../limits.ts";

const network = SingleLine({
  minLength: 1,
  maxLength: NETWORK_NAME_CHARS_MAX,
  description: "Network that granted them, such as AT&T or T-Mobile.",
});
const perMinute = Type.Integer({ minimum: 1, maximum: SEGMENTS_PER_MINUTE_MAX });
const perDay = Type.Integer({ minimum: 1, maximum: SEGMENTS_PER_DAY_MAX });
const MINUTE = "Segments a minute for all numbers of the registration; null without a limit.";
const DAY =
  "Segments a day for all numbers of the registration, from midnight Pacific Time; null without a cap.";

/** Limits of one network, as the API shows them. */
export const NetworkLimits = Resource(
  "NetworkLimits",
  {
    network: Type.String({ description: "Network that granted them." }),
    segments_per_minute: Nullable(Type.Integer(), { description: MINUTE }),
    segments_per_day: Nullable(Type.Integer(), { description: DAY }),
  },
  { description: "Rate and daily cap that one network granted." },
);
export type NetworkLimits = Static<typeof NetworkLimits>;

/** Limits of all networks, as the operator sets them. */
export const networkLimitsInput = Type.Array(
  Type.Object(
    {
      network,
      segments_per_minute: Type.Optional(Nullable(perMinute, { description: MINUTE })),
      segments_per_day: Type.Optional(Nullable(perDay, { description: DAY })),
    },
    { additionalProperties: false },
  ),
  {
    maxItems: NETWORK_LIMITS_MAX,
    description: "Replaces the limits of all networks; [] removes them.",
  },
);
