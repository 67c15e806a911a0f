import { type Static, Type } from "typebox";
import { KEY_MODES } from "../enums.ts";
import { Id, Resource, StringEnum, Timestamp, Usd } from "../fields.ts";

const Used = Type.Object(
  { count: Type.Integer(), cost_usd: Usd() },
  { additionalProperties: false },
);

const Verified = Type.Object(
  { count: Type.Integer(), cost_usd: Usd() },
  {
    additionalProperties: false,
    description: "Successful verifications, by the day they were started.",
  },
);

const usedFields = { outbound: Used, inbound: Used, verifications: Verified };

const countedUsage = {
  created_after: Timestamp({ description: "Start of the time counted, inclusive." }),
  created_before: Timestamp({ description: "End of the time counted, exclusive." }),
  totals: Type.Object(usedFields, { additionalProperties: false }),
  data: Type.Array(
    Type.Object(
      {
        date: Type.String({ format: "date", description: "UTC day." }),
        ...usedFields,
      },
      { additionalProperties: false },
    ),
    { description: "Oldest first; days without anything are left out." },
  ),
};

/** What the account sent, received and verified, and what it cost, by UTC day. */
export const Usage = Resource("Usage", {
  object: Type.Literal("usage"),
  mode: StringEnum(KEY_MODES, {
    description: "Whose traffic it is: the mode of the key that asks.",
  }),
  ...countedUsage,
});
export type Usage = Static<typeof Usage>;

/** What was sent, received and verified for a customer, and what it cost, by UTC day. */
export const CustomerUsage = Resource("CustomerUsage", {
  object: Type.Literal("customer_usage"),
  customer_id: Id("customer"),
  ...countedUsage,
});
export type CustomerUsage = Static<typeof CustomerUsage>;
