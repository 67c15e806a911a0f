import { type Static, Type } from "typebox";
import { NUMBER_TYPES } from "../enums.ts";
import { Id, Nullable, Resource, StringEnum, Timestamp, Usd } from "../fields.ts";
import { PRICE_BASES, PRICE_ITEMS } from "../prices.ts";

export const Price = Resource(
  "Price",
  {
    id: Id("price"),
    object: Type.Literal("price"),
    item: StringEnum(PRICE_ITEMS, {
      description:
        "Priced item. `outbound` and `inbound` are texts, `number_month` a month of a live number.",
    }),
    country: Nullable(Type.String(), {
      description:
        "Country (ISO 3166) of the recipient, the writer or the number; null: every country without a price of its own.",
    }),
    number_type: Nullable(StringEnum(NUMBER_TYPES), {
      description: "Type of the account's own number; null: both types.",
    }),
    basis: StringEnum(PRICE_BASES, {
      description:
        "`fixed`: the amount is the price. `carrier_cost`: the amount is the expected cost, and margins are added; a receipt that names the cost of an outbound message settles its price.",
    }),
    amount_usd: Usd({ description: "The price, or the carrier's expected cost, in US dollars." }),
    margin_usd: Usd({ description: "Added to the carrier's cost; 0 for a fixed price." }),
    margin_percent: Type.Integer({
      description: "Percentage of the carrier's cost that is added; 0 for a fixed price.",
    }),
    price_usd: Usd({ description: "Amount that accounts pay, in US dollars." }),
    note: Nullable(Type.String(), { description: "Reason of the price, for the operator." }),
    in_force: Type.Boolean({
      description:
        "Whether it applies now: it has begun, has not ended, and no newer one replaces it.",
    }),
    effective_from: Timestamp({ description: "Time from which it applies." }),
    ended_at: Nullable(Timestamp(), {
      description: "Time at which the operator ended it, or null.",
    }),
    created_at: Timestamp(),
  },
  {
    description:
      "A price of the installation, for one item and, where set, one country and number type.",
  },
);
export type Price = Static<typeof Price>;
