import { fold } from "./page/fold.ts";
import { hasPhoneNumber, linksOf } from "./rules/sample-links.ts";
import { says } from "./rules/wording.ts";

/** Words (folded text; English, Spanish, French) that require a campaign flag. */
const LENDING =
  /\b(?:loans?|lending|lenders?|mortgages?|prestamos?|hipotecas?|prets?|credit hypothecaire)\b/;
const AFFILIATES = /\b(?:affiliates?|partner offers?|offers? from (?:our )?partners|sponsored)\b/;

/** Campaign flags for the registry, derived from examples and description. */
export function campaignFlags(samples: readonly string[], description: string) {
  const text = fold([...samples, description].join("\n"));
  return {
    embedded_link: samples.some((sample) => linksOf(sample).length > 0),
    embedded_phone: samples.some(hasPhoneNumber),
    // Registries mean 50 numbers and more by it; a registration holds 49.
    number_pooling: false,
    direct_lending: LENDING.test(text),
    age_gated: says("alcohol", text),
    affiliate_marketing: AFFILIATES.test(text),
  };
}
