import { type Static, Type } from "typebox";
import { Resource } from "../fields.ts";

/** The columns of a file of numbering data, in its order. */
export const NUMBERING_COLUMNS = ["npa_nxx", "line_type", "carrier", "locality", "region"] as const;

export const Numbering = Resource(
  "Numbering",
  {
    object: Type.Literal("numbering"),
    rows: Type.Integer({ description: "How many ranges of 10,000 numbers are known now." }),
  },
  { description: "What is known of ranges of numbers, by area code and exchange." },
);
export type Numbering = Static<typeof Numbering>;
