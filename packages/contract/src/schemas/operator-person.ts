import { type Static, Type } from "typebox";
import { Id, Nullable, Resource, Timestamp } from "../fields.ts";

export const OperatorPerson = Resource(
  "OperatorPerson",
  {
    id: Id("user"),
    object: Type.Literal("operator"),
    email: Type.String({ description: "The email that they sign in with." }),
    name: Nullable(Type.String(), { description: "Name of the person, or null." }),
    seen_at: Nullable(Timestamp(), {
      description: "Time of the last sign-in; null before the first.",
    }),
  },
  { description: "A person who runs the installation." },
);
export type OperatorPerson = Static<typeof OperatorPerson>;
