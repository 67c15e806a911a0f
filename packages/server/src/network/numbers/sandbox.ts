import { AREA_CODES, type AreaCode, US_TERRITORIES } from "@longwave/contract";

/** Reserved for the account that the first run creates. */
export const FIRST_RUN_NUMBER = "+15005550100";

const LINES_PER_AREA_CODE = 100;

/** 555-0100 to 555-0199, which no carrier assigns. */
export function isFictional(e164: string): boolean {
  return /^\+1\d{3}55501\d{2}$/.test(e164);
}

/** Area codes whose fictional numbers the sandbox sells, ascending. */
export function sandboxAreaCodes(extraRegions: ReadonlySet<string>): readonly AreaCode[] {
  return AREA_CODES.filter(
    ({ kind, country, region }) =>
      kind === "geographic" &&
      (country === "US" || country === "CA") &&
      (region === null || !US_TERRITORIES.has(region) || extraRegions.has(region)),
  );
}

export interface SandboxNumber {
  readonly phone_number: string;
  readonly area: AreaCode;
}

/** Fictional numbers of these area codes after a given one, ascending. */
export function* fictionalNumbers(
  areas: readonly AreaCode[],
  after: string | null,
): Generator<SandboxNumber> {
  for (const area of areas) {
    for (let line = 0; line < LINES_PER_AREA_CODE; line += 1) {
      const phone_number = `+1${area.code}55501${String(line).padStart(2, "0")}`;
      if (after === null || phone_number > after) yield { phone_number, area };
    }
  }
}
