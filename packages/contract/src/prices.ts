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
