import { type Static, Type } from "typebox";
import { KEY_MODES } from "../enums.ts";
import { Id, Resource, StringEnum, Timestamp, Usd } from "../fields.ts";

const Used = Type.Object(
  {
    count: Type.Integer({ description: "Number of texts, or of successful verifications." }),
    cost_usd: Usd({ description: "Price of all of them, in US dollars." }),
  },
  { additionalProperties: false },
);

const Verified = Type.Object(
  {
    count: Type.Integer({ description: "Number of texts, or of successful verifications." }),
    cost_usd: Usd({ description: "Price of all of them, in US dollars." }),
  },
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
  carrier_costs: Type.Optional(
    Type.Array(
      Type.Object(
        {
          currency: Type.String({ description: "ISO 4217, such as `USD`." }),
          amount: Type.Number({
            description: "Cost at the carriers, with six decimals at most.",
          }),
          messages: Type.Integer({ description: "Messages whose receipt named a cost." }),
        },
        { additionalProperties: false },
      ),
      {
        description:
          "Costs at the carriers by currency, beside the prices of this service. Left out where no receipt names one.",
      },
    ),
  ),
  data: Type.Array(
    Type.Object(
      {
        date: Type.String({
          format: "date",
          description: "Calendar day of UTC, or of the zone in `timezone`.",
        }),
        ...usedFields,
      },
      { additionalProperties: false },
    ),
    { description: "Oldest first; days without anything are left out." },
  ),
};

/** Messages, verifications and costs of the account, by calendar day. */
export const Usage = Resource("Usage", {
  object: Type.Literal("usage"),
  mode: StringEnum(KEY_MODES, {
    description: "Mode of the traffic: the mode of the requesting key.",
  }),
  ...countedUsage,
});
export type Usage = Static<typeof Usage>;

/** Messages, verifications and costs of a customer, by calendar day. */
export const CustomerUsage = Resource("CustomerUsage", {
  object: Type.Literal("customer_usage"),
  customer_id: Id("customer"),
  ...countedUsage,
});
export type CustomerUsage = Static<typeof CustomerUsage>;
