import { type Static, Type } from "typebox";
import {
  INVENTORY_STATUSES,
  KEY_MODES,
  NUMBER_STATUSES,
  NUMBER_TYPES,
  SMS_METHODS,
} from "../enums.ts";
import { E164, Id, Nullable, Resource, StringEnum, Timestamp, Usd } from "../fields.ts";
import { senderMachine } from "../machines/sender.ts";

const numberFields = {
  phone_number: E164(),
  type: StringEnum(NUMBER_TYPES),
  country: Type.String({ description: "ISO 3166, two letters." }),
  region: Nullable(Type.String(), { description: "State or province, two letters." }),
  locality: Nullable(Type.String(), {
    description:
      "The city of its exchange, or the main one of its area code; null for toll-free numbers.",
  }),
  area_code: Type.String({ pattern: "^\\d{3}$" }),
  monthly_price: Usd({ description: "US dollars a month; 0 in the sandbox." }),
  mode: StringEnum(KEY_MODES),
};

/** Registration state of a number with the carriers. */
const NumberSender = Type.Object(
  {
    state: StringEnum(senderMachine.states),
    registration_id: Nullable(Id("registration")),
    reason: Nullable(Type.String(), {
      description:
        "Reason of the state, or null. registered_elsewhere: the operator vouches for the number.",
    }),
    updated_at: Timestamp(),
  },
  { additionalProperties: false },
);

export const PhoneNumber = Resource("PhoneNumber", {
  object: Type.Literal("number"),
  ...numberFields,
  label: Nullable(Type.String()),
  tags: Type.Array(Type.String()),
  pools: Type.Array(Id("pool"), { description: "The sender pools it is a member of." }),
  customer_id: Nullable(Id("customer")),
  capabilities: Type.Array(StringEnum(["sms"])),
  sender: NumberSender,
  sms_url: Nullable(Type.String(), {
    description:
      "Address that gets inbound messages as Twilio's form, signed as Twilio signs, and may answer with TwiML; null: none.",
  }),
  sms_method: StringEnum(SMS_METHODS, { description: "Method of the calls to `sms_url`." }),
  purchased_at: Timestamp(),
  released_at: Nullable(Timestamp()),
  status: StringEnum(NUMBER_STATUSES),
});
export type PhoneNumber = Static<typeof PhoneNumber>;

export const AvailableNumber = Resource("AvailableNumber", {
  object: Type.Literal("available_number"),
  ...numberFields,
});
export type AvailableNumber = Static<typeof AvailableNumber>;

/** Numbers that send as one: each recipient always gets the same member. */
export const Pool = Resource("Pool", {
  id: Id("pool"),
  object: Type.Literal("pool"),
  name: Type.String(),
  numbers: Type.Array(E164(), { description: "The given order." }),
  twilio_service_sid: Nullable(Type.String(), {
    description:
      "Sid of the pool as a messaging service of the Twilio-compatible API (`MG` and 32 hex digits); null while that API is not enabled.",
  }),
  created_at: Timestamp(),
});
export type Pool = Static<typeof Pool>;

/** Sender state of any account's number, with the operator's word for it. */
export const OperatorSender = Resource("OperatorSender", {
  object: Type.Literal("operator_sender"),
  account_id: Id("account", { description: "The account that holds the number." }),
  phone_number: E164(),
  sender: Type.Object(NumberSender.properties, {
    additionalProperties: false,
    description: "The sender state that the account sees.",
  }),
  vouch: Nullable(
    Type.Object(
      {
        reason: Type.String({ description: "Why the number may send." }),
        reference: Type.String({ description: "Place of the registration." }),
        vouched_at: Timestamp({ description: "Time of the operator's last word." }),
      },
      { additionalProperties: false },
    ),
    { description: "null: the number follows its account's registrations." },
  ),
});
export type OperatorSender = Static<typeof OperatorSender>;

/** Live number in the operator's inventory. */
export const InventoryNumber = Resource("InventoryNumber", {
  object: Type.Literal("inventory_number"),
  phone_number: E164(),
  type: StringEnum(NUMBER_TYPES),
  locality: Nullable(Type.String()),
  region: Nullable(Type.String()),
  carrier: Nullable(Type.String(), { description: "The link that carries it." }),
  status: StringEnum(INVENTORY_STATUSES, {
    description: "resting: released by its last owner not long ago, and not sold yet.",
  }),
  account_id: Nullable(Id("account"), { description: "Owner of a sold number." }),
  created_at: Timestamp(),
});
export type InventoryNumber = Static<typeof InventoryNumber>;

export const InventoryLoad = Resource("InventoryLoad", {
  added: Type.Integer(),
  skipped: Type.Integer({ description: "Numbers that were in the stock already." }),
});
export type InventoryLoad = Static<typeof InventoryLoad>;
