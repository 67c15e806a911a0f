import assert from "node:assert/strict";
import { test } from "node:test";
import { AREA_CODES } from "./area-codes.ts";
import { ALL_ZONES, zonesOf } from "./time-zones.ts";

test("every region has valid zones", () => {
  for (const { code, country, kind } of AREA_CODES) {
    const zones = zonesOf(`+1${code}5550100`);
    const isPlace = kind === "geographic" && (country === "US" || country === "CA");
    if (isPlace) assert.ok(zones.length >= 1 && zones.length <= 5, `${code}: ${zones}`);
    else assert.deepEqual(zones, ALL_ZONES, code);
  }
  for (const timeZone of ALL_ZONES) new Intl.DateTimeFormat("en", { timeZone });
});

test("area codes have the zones in use there", () => {
  const known: [string, string[]][] = [
    ["+12125550100", ["America/New_York"]],
    ["+13125550100", ["America/Chicago"]],
    ["+13035550100", ["America/Denver"]],
    ["+14155550100", ["America/Los_Angeles"]],
    ["+16025550100", ["America/Phoenix"]],
    ["+18085550100", ["Pacific/Honolulu"]],
    ["+18505550100", ["America/New_York", "America/Chicago"]],
    ["+19155550100", ["America/Denver"]],
    ["+17095550100", ["America/St_Johns", "America/Halifax"]],
    ["+16045550100", ["America/Vancouver"]],
  ];
  for (const [phone, zones] of known) assert.deepEqual(zonesOf(phone), zones, phone);
  for (const phone of ["+18005550100", "+15005550000", "+18765550100", "+441234567890"]) {
    assert.deepEqual(zonesOf(phone), ALL_ZONES);
  }
});
