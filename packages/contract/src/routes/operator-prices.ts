import { Type } from "typebox";
import { defineRoutes } from "../define.ts";
import { NUMBER_TYPES } from "../enums.ts";
import {
  IdInput,
  Input,
  ListQuery,
  Page,
  SingleLine,
  StringEnum,
  TimestampInput,
} from "../fields.ts";
import { NOTE_CHARS_MAX, PRICE_MARGIN_PERCENT_MAX, PRICE_USD_MAX } from "../limits.ts";
import { PRICE_BASES, PRICE_ITEMS } from "../prices.ts";
import { Price } from "../schemas/price.ts";

const TAG = "Operator";

/** Prices of the installation. */
export const operatorPriceRoutes = defineRoutes({
  "operator.prices.create": {
    method: "POST",
    path: "/operator/v1/prices",
    scope: "operator",
    tag: TAG,
    summary: "Set a price",
    description:
      "Replaces the price of the same item, country and number type from effective_from on. Messages accepted before keep their price. A price for a country takes precedence over one for a number type, and both over a general one. Without a price, the settings and the defaults apply: 0.009 outbound, 0.004 inbound, 0.95 a number and month, 0.025 a verification, 4.00 a registration.",
    body: Input({
      item: StringEnum(PRICE_ITEMS, {
        description:
          "Thing paid for: a text in or out, a code, a month of a number, a registration.",
      }),
      country: Type.Optional(
        Type.String({
          pattern: "^[A-Z]{2}$",
          description:
            "ISO 3166 country of the recipient, the writer or the number; omitted: every country without a price of its own.",
        }),
      ),
      number_type: Type.Optional(
        StringEnum(NUMBER_TYPES, {
          description:
            "Type of the account's own number; omitted: both. A verification has no number type.",
        }),
      ),
      basis: Type.Optional(
        StringEnum(PRICE_BASES, {
          description:
            "fixed unless given. carrier_cost adds margin_usd and margin_percent to amount_usd.",
        }),
      ),
      amount_usd: Type.Number({
        minimum: 0,
        maximum: PRICE_USD_MAX,
        description:
          "The price, or with carrier_cost what the carrier takes, in US dollars with at most six decimals.",
      }),
      margin_usd: Type.Optional(
        Type.Number({
          minimum: 0,
          maximum: PRICE_USD_MAX,
          description: "Added to the carrier's cost, in US dollars. Only with carrier_cost.",
        }),
      ),
      margin_percent: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: PRICE_MARGIN_PERCENT_MAX,
          description: "Percentage of the carrier's cost to add. Only with carrier_cost.",
        }),
      ),
      effective_from: Type.Optional(
        TimestampInput({
          description:
            "Time from which it applies, not in the past: ISO 8601 with a zone, or epoch milliseconds. Omitted: at once.",
        }),
      ),
      note: Type.Optional(
        SingleLine({
          maxLength: NOTE_CHARS_MAX,
          description: "Reason of the price, for the operator.",
        }),
      ),
    }),
    answers: { 201: Price },
    errors: ["limit_reached"],
    example: {
      body: { item: "outbound", country: "CA", amount_usd: 0.012, note: "Rates of 2027" },
      status: 201,
    },
  },
  "operator.prices.list": {
    method: "GET",
    path: "/operator/v1/prices",
    scope: "operator",
    tag: TAG,
    summary: "List the prices that were set, newest first",
    description: "Replaced and ended ones too, so that an old bill can be explained.",
    query: ListQuery({
      item: Type.Optional(StringEnum(PRICE_ITEMS, { description: "Only prices of this item." })),
    }),
    answers: { 200: Page(Price) },
    errors: [],
    example: { query: { item: "outbound" }, status: 200 },
  },
  "operator.prices.delete": {
    method: "DELETE",
    path: "/operator/v1/prices/{id}",
    scope: "operator",
    tag: TAG,
    summary: "End a price",
    description:
      "From now on the next more general price applies, or an older one of the same item, country and number type that was not ended. A price that has not begun never begins.",
    params: Input({ id: IdInput({ description: "The price's id, as the list shows it." }) }),
    answers: { 200: Price },
    errors: ["not_found"],
    example: { params: { id: "prc_01jd0000000000000000000000" }, status: 200 },
  },
});
