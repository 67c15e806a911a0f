import { type Static, Type } from "typebox";
import { Resource } from "../fields.ts";

export const Numbering = Resource(
  "Numbering",
  {
    object: Type.Literal("numbering"),
    rows: Type.Integer({ description: "Number of loaded ranges of 10,000 numbers." }),
  },
  { description: "Numbering data by area code and exchange." },
);
export type Numbering = Static<typeof Numbering>;
