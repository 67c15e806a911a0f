import { classifyPhone } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { Tariff } from "../../core/prices.ts";

/** Country of the other party of a message, and type of the account's own number. */
export function tariffOf(
  { destinations }: Pick<Base, "destinations">,
  other: string,
  own: string,
): Tariff {
  const { type } = classifyPhone(own, destinations);
  return {
    country: classifyPhone(other, destinations).country,
    numberType: type === "toll_free" ? "toll_free" : "local",
  };
}
