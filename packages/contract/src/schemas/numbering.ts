import { type Static, Type } from "typebox";
import { Resource } from "../fields.ts";

export const Numbering = Resource(
  "Numbering",
  {
    object: Type.Literal("numbering"),
    rows: Type.Integer({ description: "How many ranges of 10,000 numbers are known now." }),
  },
  { description: "What is known of ranges of numbers, by area code and exchange." },
);
export type Numbering = Static<typeof Numbering>;
