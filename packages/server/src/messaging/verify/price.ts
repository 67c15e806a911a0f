import { classifyPhone } from "@longwave/contract";
import type { Base } from "../../core/base.ts";

/** Price of an approved verification of this phone, in micro-dollars. Its codes are free. */
export function verificationPrice(
  { prices, destinations }: Pick<Base, "prices" | "destinations">,
  phone: string,
): number {
  return prices.priceOf("verification", () => ({
    country: classifyPhone(phone, destinations).country,
    numberType: null,
  }));
}
