/** Prices in micro-dollars (millionths of a US dollar): integers, never binary fractions. */
const MICROS_PER_USD = 1_000_000;
export const PRICE_OUTBOUND_MICROS = 9_000;
export const PRICE_INBOUND_MICROS = 4_000;
export const PRICE_VERIFICATION_MICROS = 25_000;
export const PRICE_NUMBER_MONTH_MICROS = 950_000;
export const PRICE_REGISTRATION_MICROS = 4_000_000;
export const FREE_TEXTS_PER_MONTH = 100;
export const FREE_VERIFICATIONS_PER_MONTH = 10;

/** Micro-dollars as the JSON number of the API, at most six decimals. */
export function microsToUsd(micros: number): number {
  return micros / MICROS_PER_USD;
}

/** A dollar amount of a request as micro-dollars, or null when it has more than six decimals. */
export function usdToMicros(usd: number): number | null {
  const micros = Math.round(usd * MICROS_PER_USD);
  if (!Number.isSafeInteger(micros)) return null;
  return microsToUsd(micros) === usd ? micros : null;
}

/** Everything that the price table can price. `number_month` is a month of a live number. */
export const PRICE_ITEMS = [
  "outbound",
  "inbound",
  "number_month",
  "verification",
  "registration",
] as const;
export type PriceItem = (typeof PRICE_ITEMS)[number];

/** Prices that hold where the operator has set none. */
export const PRICE_DEFAULTS_MICROS: Readonly<Record<PriceItem, number>> = {
  outbound: PRICE_OUTBOUND_MICROS,
  inbound: PRICE_INBOUND_MICROS,
  number_month: PRICE_NUMBER_MONTH_MICROS,
  verification: PRICE_VERIFICATION_MICROS,
  registration: PRICE_REGISTRATION_MICROS,
};

/** A price is an amount of its own, or what the carrier takes plus a margin. */
export const PRICE_BASES = ["fixed", "carrier_cost"] as const;
export type PriceBasis = (typeof PRICE_BASES)[number];

/** Days after its acceptance in which a message's price follows the cost that its receipt names. */
export const CARRIER_COST_SETTLES_DAYS = 3;

/** Amounts of one price. */
export interface PriceAmounts {
  readonly basis: PriceBasis;
  /** The price itself; with `carrier_cost`, the cost. */
  readonly amount_micros: number;
  readonly margin_micros: number;
  readonly margin_percent: number;
}

/** The price in micro-dollars, rounded half up. */
export function priceMicrosOf(price: PriceAmounts): number {
  if (price.basis === "fixed") return price.amount_micros;
  return costPlusMargins(price, price.amount_micros, 1);
}

/** Price of a message of `units` messages or segments whose carrier took `costMicros` for the whole. */
export function costPlusMargins(
  { margin_percent, margin_micros }: PriceAmounts,
  costMicros: number,
  units: number,
): number {
  const share = Math.floor((costMicros * margin_percent + 50) / 100);
  return costMicros + share + margin_micros * units;
}
