import type { CarrierCost } from "../carrier.ts";

const AMOUNT = /^-?\d{1,9}(?:\.\d{1,12})?$/;
const CURRENCY = /^[A-Z]{3}$/;

/** Sum of a carrier's amounts; null where it names nothing, or in a form that is no amount. */
export function costOf(
  amounts: readonly string[],
  currency: string | null,
  unitsPerAmount = 1,
): CarrierCost | null {
  const code = currency?.toUpperCase() ?? "";
  const areAmounts = amounts.length > 0 && amounts.every((amount) => AMOUNT.test(amount));
  if (!areAmounts || !CURRENCY.test(code)) return null;
  // Some carriers write what they take as a negative amount.
  const sum = amounts.reduce((total, amount) => total + Math.abs(Number(amount)), 0);
  return { currency: code, amountMicros: Math.round((sum * 1_000_000) / unitsPerAmount) };
}
