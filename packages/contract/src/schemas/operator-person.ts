import { type Static, Type } from "typebox";
import { ROLES } from "../enums.ts";
import { Id, Nullable, Resource, StringEnum, Timestamp } from "../fields.ts";

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

export const OperatorInvitation = Resource(
  "OperatorInvitation",
  {
    object: Type.Literal("invitation"),
    account_id: Id("account"),
    email: Type.String({ description: "The email that the invitation is for." }),
    role: StringEnum(ROLES, { description: "Role in the account that the invitation gives." }),
    url: Type.String({
      description: "The link that accepts the invitation, once. In this answer and in no other.",
    }),
    mailed: Type.Boolean({
      description: "Whether the link was mailed. If not, hand it to the person yourself.",
    }),
    expires_at: Timestamp({ description: "End of the link, seven days after it was made." }),
  },
  { description: "An invitation to the console of an account." },
);
export type OperatorInvitation = Static<typeof OperatorInvitation>;
