import type { PRICE_BASES, PRICE_ITEMS } from "@longwave/contract/tables";

export const ITEM_WORDS: Readonly<Record<(typeof PRICE_ITEMS)[number], string>> = {
  outbound: "Message sent",
  inbound: "Message received",
  number_month: "Number, a month",
  verification: "Verification",
  registration: "Registration",
};

export const BASIS_WORDS: Readonly<Record<(typeof PRICE_BASES)[number], string>> = {
  fixed: "Fixed",
  carrier_cost: "Carrier's cost plus margin",
};

export const TYPE_WORDS = { local: "Local", toll_free: "Toll-free" } as const;
