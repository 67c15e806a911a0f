import { type Static, Type } from "typebox";
import { KEY_MODES } from "../enums.ts";
import { Nullable, Resource, StringEnum, Timestamp } from "../fields.ts";

const counts = {
  sent: Type.Integer({ description: "Texts that a carrier took." }),
  delivered: Type.Integer({ description: "Of these, confirmed by the phone." }),
  failed: Type.Integer({
    description: "Failed after a carrier had taken them, or refused by the carriers for good.",
  }),
  pending: Type.Integer({ description: "Sent, and nothing heard since." }),
  delivery_rate: Nullable(Type.Number(), {
    description:
      "Delivered, as a fraction of 1 of those whose end is known (delivered and failed); null when there are none.",
  }),
};

const DeliveryCounts = Resource("DeliveryCounts", counts);
const CarrierDeliverability = Resource("CarrierDeliverability", {
  carrier: Nullable(Type.String(), { description: "The link's name; null in the sandbox." }),
  ...counts,
});
const NumberDeliverability = Resource("NumberDeliverability", {
  phone_number: Type.String({ description: "The number that the texts left from." }),
  ...counts,
});
const HourDeliverability = Resource("HourDeliverability", {
  hour: Timestamp({ description: "The start of the hour in which the texts were sent, in UTC." }),
  ...counts,
});

/** How much of the traffic arrives. */
export const Deliverability = Resource("Deliverability", {
  object: Type.Literal("deliverability"),
  mode: StringEnum(KEY_MODES, {
    description: "Whose traffic it is: the mode of the key that asks.",
  }),
  hours: Type.Integer({ description: "How many hours it covers, the present one included." }),
  created_after: Timestamp({ description: "The start of the first hour." }),
  created_before: Timestamp({ description: "The end of the present hour." }),
  totals: DeliveryCounts,
  by_carrier: Type.Array(CarrierDeliverability, { description: "Busiest first." }),
  by_number: Type.Array(NumberDeliverability, {
    description: "Busiest first, at most 100 numbers.",
  }),
  series: Type.Array(HourDeliverability, {
    description: "One entry for each hour, oldest first; hours without traffic are all 0.",
  }),
});
export type Deliverability = Static<typeof Deliverability>;
