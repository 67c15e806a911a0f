/**
 * Possible time zones of a phone number: those of its area code, as IANA names. A number shows
 * where it was issued, not where its owner is. Some area codes span two zones, so callers must
 * check all of them.
 */
import { AREA_CODES, findAreaCode } from "./area-codes.ts";

const EASTERN = "America/New_York";
const CENTRAL = "America/Chicago";
const MOUNTAIN = "America/Denver";
const PACIFIC = "America/Los_Angeles";

/** Regions that lie in one zone, entirely or nearly. */
const REGION_ZONES: Readonly<Record<string, readonly string[]>> = {
  [EASTERN]: "CT DC DE FL GA IN KY MA MD ME MI NC NH NJ NY OH PA RI SC VA VT WV".split(" "),
  [CENTRAL]: "AL AR IA IL KS LA MN MO MS ND NE OK SD TN TX WI".split(" "),
  [MOUNTAIN]: "CO MT NM UT WY".split(" "),
  [PACIFIC]: "CA NV OR WA".split(" "),
  "America/Phoenix": ["AZ"],
  "America/Boise": ["ID"],
  "America/Anchorage": ["AK"],
  "Pacific/Honolulu": ["HI"],
  "America/Puerto_Rico": ["PR", "VI"],
  "Pacific/Guam": ["GU", "MP"],
  "Pacific/Pago_Pago": ["AS"],
  "America/Edmonton": ["AB"],
  "America/Vancouver": ["BC"],
  "America/Winnipeg": ["MB"],
  "America/Halifax": ["NB", "NS"],
  "America/St_Johns": ["NL"],
  "America/Toronto": ["ON", "QC"],
  "America/Regina": ["SK"],
};

/** Area codes whose zones differ from their region's. */
const CODE_ZONES: readonly (readonly [codes: string, ...zones: string[]])[] = [
  ["850 448", EASTERN, CENTRAL],
  ["219 574 812 930", EASTERN, CENTRAL],
  ["270 364 606", EASTERN, CENTRAL],
  ["906", EASTERN, CENTRAL],
  ["865", EASTERN],
  ["423 931", EASTERN, CENTRAL],
  ["334", EASTERN, CENTRAL],
  ["620 785", CENTRAL, MOUNTAIN],
  ["308 402 531", CENTRAL, MOUNTAIN],
  ["701 605", CENTRAL, MOUNTAIN],
  ["915", MOUNTAIN],
  ["432", CENTRAL, MOUNTAIN],
  ["928", "America/Phoenix", MOUNTAIN],
  ["208 986", "America/Boise", PACIFIC],
  ["775", PACIFIC, MOUNTAIN],
  ["458 541", PACIFIC, "America/Boise"],
  ["907", "America/Anchorage", "America/Adak"],
  ["236 250 257 672 778", "America/Vancouver", "America/Edmonton", "America/Dawson_Creek"],
  ["709 879", "America/St_Johns", "America/Halifax"],
  ["807", "America/Toronto", "America/Winnipeg"],
  ["367 418 581", "America/Toronto", "America/Halifax"],
  ["306 474 639", "America/Regina", "America/Edmonton"],
  [
    "867",
    "America/Whitehorse",
    "America/Edmonton",
    "America/Winnipeg",
    "America/Toronto",
    "America/Vancouver",
  ],
];

const byCode = new Map<string, readonly string[]>();
for (const [codes, ...zones] of CODE_ZONES) {
  for (const code of codes.split(" ")) byCode.set(code, zones);
}
for (const { code, country, region, kind } of AREA_CODES) {
  if (kind !== "geographic" || (country !== "US" && country !== "CA") || byCode.has(code)) continue;
  const zone = Object.keys(REGION_ZONES).find((name) => REGION_ZONES[name]?.includes(region ?? ""));
  if (zone === undefined) throw new Error(`No time zone is known of ${code} (${region}).`);
  byCode.set(code, [zone]);
}

/** Every possible zone of a US or Canadian number. */
export const ALL_ZONES: readonly string[] = [...new Set([...byCode.values()].flat())];

/** Zones of an E.164 number: those of its area code, or all zones for non-geographic codes. */
export function zonesOf(e164: string): readonly string[] {
  const area = e164.startsWith("+1") ? findAreaCode(e164.slice(2, 5)) : undefined;
  return (area && byCode.get(area.code)) ?? ALL_ZONES;
}
