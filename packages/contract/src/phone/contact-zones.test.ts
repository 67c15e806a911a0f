import assert from "node:assert/strict";
import { test } from "node:test";
import { contactZoneOf, ZONE_ALIASES } from "./contact-zones.ts";
import { CONTACT_ZONES } from "./quiet-hours.ts";

const HOUR_MS = 3_600_000;

test("the clocks of every alias agree with those of its zone, all year", () => {
  const clockOf = (timeZone: string) =>
    new Intl.DateTimeFormat("en-GB", { timeZone, dateStyle: "short", timeStyle: "short" });
  const start = Date.parse("2026-01-01T00:30:00Z");
  for (const [alias, zone] of ZONE_ALIASES) {
    assert.ok(CONTACT_ZONES.includes(zone), zone);
    const [one, other] = [clockOf(alias), clockOf(zone)];
    for (let hour = 0; hour < 365 * 24; hour += 61) {
      const ms = start + hour * HOUR_MS;
      assert.equal(one.format(ms), other.format(ms), `${alias} and ${zone} differ`);
    }
  }
});

test("other names of a zone mean the stored one; zones elsewhere are not known", () => {
  assert.equal(contactZoneOf("US/Eastern"), "America/New_York");
  assert.equal(contactZoneOf("America/Kentucky/Louisville"), "America/New_York");
  assert.equal(contactZoneOf("America/Indiana/Tell_City"), "America/Chicago");
  assert.equal(contactZoneOf("America/Moncton"), "America/Halifax");
  assert.equal(contactZoneOf("America/Adak"), "America/Adak");
  assert.equal(contactZoneOf("Europe/Berlin"), null);
  assert.equal(contactZoneOf("constructor"), null);
});
