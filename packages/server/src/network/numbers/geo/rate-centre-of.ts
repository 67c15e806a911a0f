import { areaCodeByNumber } from "@longwave/contract";
import { LOCATIONS } from "./table.generated.ts";

/** The rate centre of a number. */
export interface RateCentre {
  readonly locality: string | null;
  /** State or province, two letters. */
  readonly region: string | null;
}

interface Area {
  readonly city: string;
  /** Cities of exchanges outside the main city, by exchange, with the region if it differs. */
  readonly otherCities: ReadonlyMap<string, string>;
}

const NOWHERE: RateCentre = { locality: null, region: null };

/** Table lines by area code, parsed on demand: there are about 420. */
const lines = new Map(
  LOCATIONS.trim()
    .split("\n")
    .map((line) => [line.slice(0, 3), line]),
);
const areas = new Map<string, Area>();

/** City and region of a number by its exchange, else by its area code. */
export function rateCentreOf(e164: string): RateCentre {
  const code = e164.slice(2, 5);
  const area = areaOf(code);
  if (area === null) return NOWHERE;
  const [city, region] = (area.otherCities.get(e164.slice(5, 8)) ?? area.city).split("/");
  return {
    locality: city || null,
    region: region ?? areaCodeByNumber(Number(code))?.region ?? null,
  };
}

function areaOf(code: string): Area | null {
  const known = areas.get(code);
  if (known !== undefined) return known;
  const line = lines.get(code);
  if (line === undefined) return null;
  const [, city = "", ...others] = line.split("|");
  const otherCities = new Map<string, string>();
  for (const other of others) {
    const [name = "", exchanges = ""] = other.split(":");
    for (const exchange of exchanges.split(",")) otherCities.set(exchange, name);
  }
  const area = { city, otherCities };
  areas.set(code, area);
  return area;
}
