import { areaCodeByNumber } from "@longwave/contract";
import { PLACES } from "./table.generated.ts";

/** Where a number is at home. */
export interface Place {
  readonly locality: string | null;
  /** State or province, two letters. */
  readonly region: string | null;
}

interface Area {
  readonly city: string;
  /** The cities of exchanges that are elsewhere, with the region where it is another one. */
  readonly elsewhere: ReadonlyMap<string, string>;
}

const NOWHERE: Place = { locality: null, region: null };

/** The lines of the table by area code, and those that were read so far: there are about 420. */
const lines = new Map(
  PLACES.trim()
    .split("\n")
    .map((line) => [line.slice(0, 3), line]),
);
const areas = new Map<string, Area>();

/** The city and region of a number by its exchange, or, where that says nothing, by its area code. */
export function placeOf(e164: string): Place {
  const code = e164.slice(2, 5);
  const area = areaOf(code);
  if (area === null) return NOWHERE;
  const [city, region] = (area.elsewhere.get(e164.slice(5, 8)) ?? area.city).split("/");
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
  const elsewhere = new Map<string, string>();
  for (const other of others) {
    const [name = "", exchanges = ""] = other.split(":");
    for (const exchange of exchanges.split(",")) elsewhere.set(exchange, name);
  }
  const area = { city, elsewhere };
  areas.set(code, area);
  return area;
}
