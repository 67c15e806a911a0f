/** Time zones that contacts name in their attributes. */
import { CONTACT_ZONES } from "./quiet-hours.ts";

/** Attributes of a contact that name its time zone. The first one is documented and wins. */
export const ZONE_ATTRIBUTES = ["time_zone", "timezone"] as const;

/** Other names of zones, and zones of the US and Canada whose clocks agree with one that is stored. */
export const ZONE_ALIASES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "America/New_York":
      "US/Eastern EST5EDT US/East-Indiana America/Louisville America/Kentucky/Louisville America/Kentucky/Monticello America/Fort_Wayne America/Indianapolis America/Indiana/Marengo America/Indiana/Petersburg America/Indiana/Vevay America/Indiana/Vincennes America/Indiana/Winamac",
    "America/Chicago":
      "US/Central CST6CDT US/Indiana-Starke America/Knox_IN America/Indiana/Knox America/Indiana/Tell_City America/Menominee America/North_Dakota/Beulah America/North_Dakota/Center America/North_Dakota/New_Salem",
    "America/Denver": "US/Mountain MST7MDT America/Shiprock Navajo",
    "America/Phoenix": "US/Arizona MST America/Creston America/Dawson_Creek America/Fort_Nelson",
    "America/Los_Angeles": "US/Pacific PST8PDT",
    "America/Detroit": "US/Michigan",
    "America/Anchorage":
      "US/Alaska America/Juneau America/Metlakatla America/Nome America/Sitka America/Yakutat",
    "America/Adak": "US/Aleutian America/Atka",
    "Pacific/Honolulu": "US/Hawaii HST Pacific/Johnston",
    "America/Puerto_Rico": "America/Blanc-Sablon America/St_Thomas America/Virgin",
    "Pacific/Guam": "Pacific/Saipan",
    "Pacific/Pago_Pago": "US/Samoa Pacific/Midway Pacific/Samoa",
    "America/Toronto":
      "Canada/Eastern America/Iqaluit America/Montreal America/Nipigon America/Pangnirtung America/Thunder_Bay",
    "America/Winnipeg": "Canada/Central America/Rainy_River America/Rankin_Inlet America/Resolute",
    "America/Regina": "Canada/Saskatchewan America/Swift_Current",
    "America/Edmonton": "Canada/Mountain America/Cambridge_Bay America/Inuvik America/Yellowknife",
    "America/Vancouver": "Canada/Pacific",
    "America/Halifax": "Canada/Atlantic America/Glace_Bay America/Goose_Bay America/Moncton",
    "America/St_Johns": "Canada/Newfoundland",
    "America/Whitehorse": "Canada/Yukon America/Dawson",
    "America/Panama": "EST America/Atikokan America/Coral_Harbour",
  }).flatMap(([zone, names]) => names.split(" ").map((name): [string, string] => [name, zone])),
);

/** The stored zone of a name; null where it is no zone of the US or Canada. */
export function contactZoneOf(name: string): string | null {
  const zone = ZONE_ALIASES.get(name) ?? name;
  return CONTACT_ZONES.includes(zone) ? zone : null;
}
