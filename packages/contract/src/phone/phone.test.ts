import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parsePhoneNumberFromString } from "libphonenumber-js/max";
import { AREA_CODES } from "./area-codes.ts";
import { classifyPhone, formatNational, normalizePhone, parseTextable } from "./phone.ts";

test("the usual spellings of a US number all become E.164", () => {
  for (const written of [
    "+14155550100",
    "14155550100",
    "4155550100",
    "(415) 555-0100",
    "(415)555-0100",
    "(415) 555 - 0100",
    "415-555-0100",
    "415.555.0100",
    "415 555 0100",
    "+1 415-555-0100",
    "+1 (415) 555-0100",
    "+1-415-555-0100",
    "+1.415.555.0100",
    "1-415-555-0100",
    "1 (415) 555-0100",
    "  415 555 0100  ",
    " 14155550100", // a + that a query string decoded to a space
    "415\u2011555\u20110100", // no-break hyphens
    "+1\u00a0(415)\u00a0555\u20130100", // no-break spaces and an en dash
    "\u202a+1 (415) 555-0100\u202c", // copied from a contact card
  ]) {
    assert.equal(normalizePhone(written), "+14155550100", JSON.stringify(written));
  }
});

test("other strings are no number", () => {
  for (const written of [
    "",
    " ",
    "hello",
    "911",
    "88022",
    "555-0100",
    "415555010",
    "41555501000",
    "24155550100",
    "+1415555010",
    "+141555501000",
    "+04155550100",
    "++14155550100",
    "00114155550100",
    "0114155550100",
    "415-555-0100 x12",
    "415-555-0100 ext. 12",
    "415-555-0100;12",
    "1-800-FLOWERS",
    "(415 555-0100",
    "415) 555-0100",
    "((415)) 555-0100",
    "4-1-5-5-5-5-0-1-0-0",
    "2026-11-15 12",
    "415/555/0100",
    "415-555-0100\n415-555-0101",
    "tel:+14155550100",
    "415,555,0100",
    "4155550100.0",
    "4.15555e9",
    "٤١٥٥٥٥٠١٠٠", // Arabic-Indic digits
    "４１５５５５０１００", // full-width digits
    "+44",
    "+4479111",
    "+4479111234567890",
    `${" ".repeat(50)}4155550100`,
    "9".repeat(10_000),
  ]) {
    assert.equal(normalizePhone(written), null, JSON.stringify(written.slice(0, 40)));
  }
});

test("numbers of other countries keep their digits, for lookup", () => {
  assert.equal(normalizePhone("+44 7911 123456"), "+447911123456");
  assert.equal(normalizePhone("+52 (55) 1234-5678"), "+525512345678");
  const foreign = classifyPhone("+447911123456");
  assert.deepEqual(
    { country: foreign.country, valid: foreign.valid, textable: foreign.textable },
    { country: null, valid: true, textable: false },
  );
});

test("normalising twice changes nothing", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[+ 0-9().-]{0,20}$/), (written) => {
      const once = normalizePhone(written);
      if (once === null) return;
      assert.match(once, /^\+[1-9]\d{7,14}$/);
      assert.equal(normalizePhone(once), once);
    }),
  );
});

test("US, Canada, toll-free and test numbers can receive messages", () => {
  const textable = (e164: string) => {
    const { country, region, areaCode, type, valid, textable: can, reason } = classifyPhone(e164);
    assert.deepEqual({ valid, can, reason }, { valid: true, can: true, reason: undefined }, e164);
    return [country, region, areaCode, type];
  };
  assert.deepEqual(textable("+14155550100"), ["US", "CA", "415", "local"]);
  assert.deepEqual(textable("+12125550199"), ["US", "NY", "212", "local"]);
  assert.deepEqual(textable("+14165550123"), ["CA", "ON", "416", "local"]);
  assert.deepEqual(textable("+18005550100"), ["US", null, "800", "toll_free"]);
  assert.deepEqual(textable("+18004117246"), ["US", null, "800", "toll_free"]);
  assert.deepEqual(textable("+15005550000"), ["US", null, "500", "test"]);
  assert.deepEqual(textable("+15005559999"), ["US", null, "500", "test"]);
});

test("other numbers give the reason, in a sentence", () => {
  const cases: [e164: string, valid: boolean, reason: RegExp][] = [
    ["+18765550100", true, /876 is in another country that shares \+1 \(JM\)/],
    ["+18095550100", true, /\(DO\)/],
    ["+14415550100", true, /\(BM\)/],
    ["+17875550100", true, /Puerto Rico \(PR\).*LONGWAVE_EXTRA_REGIONS/],
    ["+13402345678", true, /US Virgin Islands \(VI\)/],
    ["+16712345678", true, /Guam \(GU\)/],
    ["+16842345678", true, /American Samoa \(AS\)/],
    ["+16702345678", true, /Northern Mariana Islands \(MP\)/],
    ["+19005550100", true, /900 is for premium-rate lines/],
    ["+12129761234", true, /976 is a premium-rate line/],
    ["+15004440100", true, /500 is for personal follow-me numbers/],
    ["+15215550100", true, /521 is for personal follow-me numbers/],
    ["+17005550100", true, /700 is for special services/],
    ["+17105550100", true, /710 is for special services/],
    ["+16005550100", true, /600 is for special services/],
    ["+19995550100", false, /999 is not an area code in use/],
    ["+10115550100", false, /011 is not an area code in use/],
    ["+19115550100", false, /911 is not an area code in use/],
    ["+14159115555", false, /911 is a service code/],
    ["+14152115555", false, /211 is a service code/],
    ["+14150550100", false, /after the area code comes a digit from 2 to 9/],
    ["+14151550100", false, /after the area code comes a digit from 2 to 9/],
    ["+447911123456", true, /Only US and Canada/],
    ["nonsense", false, /^Not a valid phone number/],
  ];
  for (const [e164, valid, reason] of cases) {
    const found = classifyPhone(e164);
    assert.equal(found.textable, false, e164);
    assert.equal(found.valid, valid, e164);
    assert.match(found.reason ?? "", reason);
    assert.match(found.reason ?? "", /^[A-Z0-9+].*\.$/, "a sentence");
  }
});

test("the operator can allow one territory alone", () => {
  const extraRegions = new Set(["PR"]);
  const allowed = parseTextable("787 555 0100", { extraRegions });
  assert.deepEqual(allowed, {
    ok: true,
    e164: "+17875550100",
    country: "US",
    region: "PR",
    areaCode: "787",
    type: "local",
  });
  assert.equal(parseTextable("+13402345678", { extraRegions }).ok, false);
  assert.equal(parseTextable("+18765550100", { extraRegions: new Set(["JM"]) }).ok, false);
});

test("parseTextable returns the number or the reason", () => {
  assert.deepEqual(parseTextable("(416) 555-0100"), {
    ok: true,
    e164: "+14165550100",
    country: "CA",
    region: "ON",
    areaCode: "416",
    type: "local",
  });
  const nothing = parseTextable("call me");
  assert.equal(nothing.ok, false);
  assert.equal(nothing.e164, null);
  const jamaica = parseTextable("876-555-0100");
  assert.equal(jamaica.ok, false);
  assert.equal(jamaica.e164, "+18765550100");
});

test("libphonenumber agrees on recipients, and on all US and Canada lines", () => {
  const codes = AREA_CODES.map((area) => area.code);
  const numbers = fc
    .tuple(
      fc.oneof(fc.constantFrom(...codes), fc.integer({ min: 100, max: 999 }).map(String)),
      fc.integer({ min: 0, max: 9_999_999 }),
    )
    .map(([code, rest]) => `+1${code}${String(rest).padStart(7, "0")}`);
  fc.assert(
    fc.property(numbers, (e164) => {
      const oracle = parsePhoneNumberFromString(e164);
      const valid = oracle?.isValid() === true;
      const ours = classifyPhone(e164);
      // libphonenumber also accepts N11 and 976 exchanges, and rejects two exchanges in the new
      // code 983.
      const exchange = e164.slice(5, 8);
      if (exchange.endsWith("11") || exchange === "976" || e164.startsWith("+1983")) return;
      if (ours.textable) assert.ok(valid, `${e164} is texted but not valid`);
      const line =
        oracle?.getType() === "FIXED_LINE_OR_MOBILE" || oracle?.getType() === "TOLL_FREE";
      const home = oracle?.country === "US" || oracle?.country === "CA";
      if (valid && line && home) assert.ok(ours.textable, `${e164} is valid but not texted`);
    }),
    { numRuns: 2_000 },
  );
});

test("national format", () => {
  assert.equal(formatNational("+14155550100"), "(415) 555-0100");
  assert.equal(formatNational("+447911123456"), "+447911123456");
});
