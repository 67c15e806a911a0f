import type { ForeignPhones, PhoneClass } from "@longwave/contract";

/** Countries that the table of area codes covers. */
const BY_AREA_CODE: ReadonlySet<string> = new Set(["US", "CA"]);

/** Countries beside the US and Canada. */
export function otherCountries(countries: readonly string[]): readonly string[] {
  return countries.filter((country) => !BY_AREA_CODE.has(country));
}

/** Lines that are no person's phone, or that cost the caller extra. */
const REFUSED_TYPES: Readonly<Record<string, string>> = {
  PREMIUM_RATE: "a premium-rate line",
  SHARED_COST: "a shared-cost line",
  TOLL_FREE: "a toll-free line",
  PERSONAL_NUMBER: "a personal follow-me number",
  PAGER: "a pager",
  UAN: "a company's universal number",
  VOICEMAIL: "a voicemail box",
};

/**
 * Numbers of the countries that the operator allows beside the US and Canada; null without any. The metadata is loaded
 * only then: it takes a few megabytes of memory.
 */
export async function createForeignPhones(
  countries: readonly string[],
): Promise<ForeignPhones | null> {
  const allowed = new Set(otherCountries(countries));
  if (allowed.size === 0) return null;
  const { parsePhoneNumberFromString } = await import("libphonenumber-js/max");
  const classify = (e164: string): PhoneClass => {
    const parsed = parsePhoneNumberFromString(e164);
    const country = parsed?.country ?? null;
    const valid = parsed?.isValid() === true;
    const base = { country, region: null, areaCode: null, type: "other", valid } as const;
    const refuse = (reason: string): PhoneClass => ({ ...base, textable: false, reason });
    if (!valid || country === null) return refuse(`${e164} is not a valid phone number.`);
    if (!allowed.has(country)) {
      return refuse(
        `Numbers in ${country} are not texted here. The operator can allow them with LONGWAVE_COUNTRIES.`,
      );
    }
    const refused = REFUSED_TYPES[parsed?.getType() ?? ""];
    if (refused !== undefined) return refuse(`${e164} is ${refused}, which cannot be texted.`);
    return { ...base, textable: true };
  };
  return {
    allows: (country) => allowed.has(country),
    classify,
    format: (e164) => parsePhoneNumberFromString(e164)?.formatNational() ?? e164,
  };
}
