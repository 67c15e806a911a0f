import { type Static, Type } from "typebox";
import { Id, Nullable, Resource, Timestamp } from "../fields.ts";

export const OperatorToken = Resource(
  "OperatorToken",
  {
    id: Id("operator_token"),
    object: Type.Literal("operator_token"),
    token: Nullable(Type.String(), {
      description: "The token itself: only in the answer that creates or rotates it.",
    }),
    name: Type.String({ description: "Its holder or purpose; the audit log shows it as actor." }),
    last4: Type.String({ description: "Last four characters of the token." }),
    created_at: Timestamp(),
    last_used_at: Nullable(Timestamp(), {
      description: "Time of its last call, written at most once a minute; null before the first.",
    }),
    revoked_at: Nullable(Timestamp(), { description: "Time of its end; null while it works." }),
  },
  { description: "A named token for the calls of the operator." },
);
export type OperatorToken = Static<typeof OperatorToken>;
