import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePhoneNumberFromString } from "libphonenumber-js/max";
import { AREA_CODES, areaCodeByNumber, findAreaCode, US_TERRITORIES } from "./area-codes.ts";

/**
 * libphonenumber's verdict on the first valid number in an area code. Small islands have few
 * exchanges, so codes in our table try all of them. Other codes try every tenth: the US and Canada
 * open codes whole.
 */
function oracle(code: number, step: number): { country: string; type: string } | undefined {
  for (let exchange = 200; exchange < 1000; exchange += step) {
    const parsed = parsePhoneNumberFromString(`+1${code}${exchange}4567`);
    if (parsed?.isValid()) {
      return { country: parsed.country ?? "none", type: parsed.getType() ?? "none" };
    }
  }
  return undefined;
}

/** libphonenumber's type of the non-geographic kinds. It knows only 600 of kind other. */
const TYPE_OF_KIND = {
  toll_free: "TOLL_FREE",
  premium: "PREMIUM_RATE",
  personal: "PERSONAL_NUMBER",
  other: "VOIP",
} as const;

const LINES = new Set(["FIXED_LINE", "MOBILE", "FIXED_LINE_OR_MOBILE", "PAGER", "UAN"]);

test("the table and libphonenumber agree on every code from 200 to 999", () => {
  // libphonenumber omits 700 and 710, which reach no subscribers.
  const beyondTheOracle = new Set([700, 710]);
  for (let code = 200; code < 1000; code++) {
    const ours = areaCodeByNumber(code);
    const theirs = oracle(code, ours ? 1 : 10);
    if (beyondTheOracle.has(code)) {
      assert.equal(ours?.kind, "other");
      assert.equal(theirs, undefined, `libphonenumber knows ${code} now: drop the exception`);
      continue;
    }
    assert.equal(ours !== undefined, theirs !== undefined, `area code ${code}`);
    if (!ours || !theirs) continue;
    const territory = ours.region !== null && US_TERRITORIES.has(ours.region);
    assert.equal(territory ? ours.region : ours.country, theirs.country, `country of ${code}`);
    if (ours.kind === "geographic") assert.ok(LINES.has(theirs.type), `${code}: ${theirs.type}`);
    else assert.equal(theirs.type, TYPE_OF_KIND[ours.kind], `type of ${code}`);
  }
});

test("geographic codes of the US and Canada have a two-letter region, all others none", () => {
  for (const { code, country, region, kind } of AREA_CODES) {
    if (kind === "geographic" && (country === "US" || country === "CA")) {
      assert.match(region ?? "", /^[A-Z]{2}$/, code);
    } else {
      assert.equal(region, null, code);
    }
  }
});

test("the table covers every state, province and territory", () => {
  const regionsOf = (country: string) =>
    new Set(AREA_CODES.filter((a) => a.country === country && a.region).map((a) => a.region));
  assert.equal(regionsOf("US").size, 50 + 1 + US_TERRITORIES.size, "states, DC, territories");
  assert.equal(regionsOf("CA").size, 10, "13 provinces and territories less PE, YT and NU");
});

test("lookups work by string and by number", () => {
  assert.deepEqual(findAreaCode("415"), {
    code: "415",
    country: "US",
    region: "CA",
    kind: "geographic",
  });
  assert.deepEqual(findAreaCode("416")?.region, "ON");
  assert.deepEqual(findAreaCode("787"), {
    code: "787",
    country: "US",
    region: "PR",
    kind: "geographic",
  });
  assert.equal(areaCodeByNumber(876)?.country, "JM");
  for (const unknown of ["", "41", "4155", "999", "abc", "4.5", "1e2", " 41", "-41", "000"]) {
    assert.equal(findAreaCode(unknown), undefined, unknown);
  }
});
