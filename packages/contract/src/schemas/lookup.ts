import { type Static, Type } from "typebox";
import { LINE_TYPES } from "../enums.ts";
import { Nullable, Resource, StringEnum, Timestamp } from "../fields.ts";

export const Lookup = Resource(
  "Lookup",
  {
    object: Type.Literal("lookup"),
    phone_number: Type.String({ description: "The number in E.164." }),
    valid: Type.Boolean({ description: "Whether a number like this can exist." }),
    textable: Type.Boolean({ description: "Whether this service sends texts to it." }),
    country: Nullable(Type.String(), {
      description: "ISO 3166; null where the number tells none.",
    }),
    national_format: Type.String({ description: "As it is written in its country." }),
    line_type: StringEnum(LINE_TYPES, {
      description: "What kind of line it is; unknown wherever nobody has said. Never guessed.",
    }),
    carrier: Nullable(
      Type.Object(
        { name: Type.String({ description: "The carrier's name as the source has it." }) },
        { additionalProperties: false },
      ),
      { description: "Who serves it, where that is known." },
    ),
    ported: Nullable(Type.Boolean(), {
      description: "Whether it has moved from one carrier to another; null where that is unknown.",
    }),
    checked_at: Timestamp({ description: "When the source said so." }),
    age_seconds: Type.Integer({
      description: "How old that is: 0 when it was asked for just now.",
    }),
    source: Type.String({
      description:
        "Who says so: sandbox (a test number), numbering_plan (what the digits tell), numbering_data (what the operator has loaded), or the name of the connected service.",
    }),
  },
  { description: "What is known about a phone number." },
);
export type Lookup = Static<typeof Lookup>;
