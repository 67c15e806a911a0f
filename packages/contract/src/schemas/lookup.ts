import { type Static, Type } from "typebox";
import { LINE_TYPES } from "../enums.ts";
import { Nullable, Resource, StringEnum, Timestamp } from "../fields.ts";

export const Lookup = Resource(
  "Lookup",
  {
    object: Type.Literal("lookup"),
    phone_number: Type.String({ description: "The number in E.164." }),
    valid: Type.Boolean({ description: "Whether such a number can exist." }),
    textable: Type.Boolean({ description: "Whether this service can text it." }),
    country: Nullable(Type.String(), {
      description: "ISO 3166 country; null when unknown.",
    }),
    national_format: Type.String({
      description: "The number as people write it nationally, such as (212) 555-0123.",
    }),
    line_type: StringEnum(LINE_TYPES, {
      description: "Line type; `unknown` without data, never guessed.",
    }),
    carrier: Nullable(
      Type.Object(
        { name: Type.String({ description: "The carrier's name as the source has it." }) },
        { additionalProperties: false },
      ),
      { description: "Carrier of the number, if known." },
    ),
    ported: Nullable(Type.Boolean(), {
      description: "Whether it was ported between carriers; null when unknown.",
    }),
    checked_at: Timestamp({ description: "Time of the source's answer." }),
    age_seconds: Type.Integer({
      description: "Age of the data: 0 when just fetched.",
    }),
    source: Type.String({
      description:
        "Source of the data: sandbox (a test number), numbering_plan (derived from the digits), numbering_data (loaded by the operator), or the name of the connected service.",
    }),
  },
  { description: "Data about a phone number." },
);
export type Lookup = Static<typeof Lookup>;
