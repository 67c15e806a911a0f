import { type Static, Type } from "typebox";
import { KEY_MODES } from "../enums.ts";
import { Nullable, Resource, StringEnum, Timestamp } from "../fields.ts";

const counts = {
  sent: Type.Integer({ description: "Texts accepted by a carrier." }),
  delivered: Type.Integer({ description: "Texts confirmed by the phone." }),
  failed: Type.Integer({
    description: "Failed after a carrier had taken them, or refused by the carriers for good.",
  }),
  pending: Type.Integer({ description: "Sent texts without a receipt yet." }),
  delivery_rate: Nullable(Type.Number(), {
    description:
      "Delivered texts as a fraction of 1 of all final ones (delivered and failed); null without any.",
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

/** Delivery rates of the traffic. */
export const Deliverability = Resource("Deliverability", {
  object: Type.Literal("deliverability"),
  mode: StringEnum(KEY_MODES, {
    description: "Mode of the traffic: the mode of the requesting key.",
  }),
  hours: Type.Integer({ description: "Covered hours, the current one included." }),
  created_after: Timestamp({ description: "The start of the first hour." }),
  created_before: Timestamp({ description: "The end of the present hour." }),
  totals: DeliveryCounts,
  by_carrier: Type.Array(CarrierDeliverability, {
    description: "One entry per carrier, busiest first.",
  }),
  by_number: Type.Array(NumberDeliverability, {
    description: "One entry per sending number, busiest first; at most 100.",
  }),
  series: Type.Array(HourDeliverability, {
    description: "One entry for each hour, oldest first; hours without traffic are all 0.",
  }),
});
export type Deliverability = Static<typeof Deliverability>;
