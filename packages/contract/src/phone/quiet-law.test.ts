import assert from "node:assert/strict";
import { test } from "node:test";
import { CONTACT_ZONES, packQuietHours, unpackQuietHours } from "./quiet-hours.ts";
import { faultOfLaw, lawfulFrom, QUIET_LAW_DEFAULT } from "./quiet-law.ts";

const at = (text: string) => Date.parse(text);
const NEW_YORK = "America/New_York";
const CHICAGO = "America/Chicago";

test("a state's hours of the weekday hold, else those of the US", () => {
  const from = (region: string | null, zone: string, time: string) => {
    const ms = lawfulFrom(QUIET_LAW_DEFAULT, region, [zone], at(time));
    return ms === null ? null : new Date(ms).toISOString();
  };
  assert.equal(from("NY", NEW_YORK, "2026-11-18T20:59:00-05:00"), null);
  assert.equal(from("NY", NEW_YORK, "2026-11-18T21:00:00-05:00"), "2026-11-19T13:00:00.000Z");
  assert.equal(from("FL", NEW_YORK, "2026-11-18T20:00:00-05:00"), "2026-11-19T13:00:00.000Z");
  assert.equal(from("TX", CHICAGO, "2026-11-22T11:59:00-06:00"), "2026-11-22T18:00:00.000Z");
  assert.equal(from("TX", CHICAGO, "2026-11-21T09:00:00-06:00"), null);
  assert.equal(from("AL", CHICAGO, "2026-11-22T12:00:00-06:00"), "2026-11-23T14:00:00.000Z");
  assert.equal(from("RI", NEW_YORK, "2026-11-21T09:30:00-05:00"), "2026-11-21T15:00:00.000Z");
});

test("all zones of an area code have to be in lawful hours", () => {
  const ms = lawfulFrom(
    QUIET_LAW_DEFAULT,
    "TN",
    [NEW_YORK, CHICAGO],
    at("2026-11-18T08:30:00-05:00"),
  );
  assert.equal(ms, at("2026-11-18T08:00:00-06:00"));
});

test("a region that is closed all week never allows a message, which is not the same as now", () => {
  const [us] = QUIET_LAW_DEFAULT.hours;
  assert.ok(us);
  const closed = { ...us, region: "NY", from: "00:00", until: "00:00" };
  const law = { edition: "1", hours: [us, closed] };
  const noon = at("2026-11-18T12:00:00-05:00");
  assert.equal(lawfulFrom(law, "NY", [NEW_YORK], noon), "never");
  assert.equal(lawfulFrom(law, "NJ", [NEW_YORK], noon), null);
  assert.equal(faultOfLaw(law)?.index, 1);
});

test("a table needs hours of the US for every day; a stored one without them follows the built-in table", () => {
  const [us] = QUIET_LAW_DEFAULT.hours;
  assert.ok(us);
  const law = { edition: "1", hours: [{ ...us, days: ["mon", "tue"] as const }] };
  assert.deepEqual(faultOfLaw(law), {
    index: null,
    message: "US has no row for sun. Give the US hours for all seven days.",
  });
  const night = at("2026-11-18T23:00:00-05:00");
  assert.equal(lawfulFrom(law, "NY", [NEW_YORK], night), at("2026-11-19T08:00:00-05:00"));
});

test("a table with two rows for a day, or hours past midnight, is refused", () => {
  const row = { region: "US", days: ["mon"], from: "08:00", until: "21:00", source: "x" } as const;
  const faultAt = (...hours: (typeof row)[]) => faultOfLaw({ edition: "1", hours })?.index ?? null;
  assert.equal(faultOfLaw(QUIET_LAW_DEFAULT), null);
  assert.equal(faultAt(row, row), 1);
  assert.equal(faultOfLaw({ edition: "1", hours: [{ ...row, from: "22:00" }] })?.index, 0);
});

test("law and zone travel with the packed hours, within an integer", () => {
  for (const zone of [null, ...CONTACT_ZONES]) {
    const hours = { startMinute: 1_439, endMinute: 1_438, byLaw: true, zone };
    const packed = packQuietHours(hours);
    assert.ok(packed < 2 ** 31);
    assert.deepEqual(unpackQuietHours(packed), hours);
  }
});
