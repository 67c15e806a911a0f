import assert from "node:assert/strict";
import { test } from "node:test";
import { isRegistrationCountry, parseDestination } from "@longwave/contract";
import { createForeignPhones } from "./foreign-phones.ts";

test("without other countries there is nothing to load", async () => {
  assert.equal(await createForeignPhones(["US", "CA"]), null);
});

test("a destination is a phone of an allowed country, in E.164", async () => {
  const foreign = await createForeignPhones(["US", "CA", "GB", "FR"]);
  const of = (input: string) => {
    const parsed = parseDestination(input, { foreign });
    return parsed.ok ? `${parsed.e164} ${parsed.country}` : parsed.reason;
  };
  assert.equal(of("+44 7400 123456"), "+447400123456 GB");
  assert.equal(of("+33 6 12 34 56 78"), "+33612345678 FR");
  assert.equal(of("(415) 555-0100"), "+14155550100 US");
  assert.equal(of("+15005550000"), "+15005550000 US");
  assert.match(of("0044 7400 123456"), /^Not a valid phone number\. Write it as \+44/);
  assert.match(of("+4915112345678"), /^Numbers in DE are not texted here\./);
  assert.match(
    of("+448001111111"),
    /^\+448001111111 is a toll-free line, which cannot be texted\.$/,
  );
  assert.match(of("+19005551234"), /premium-rate/);
});

test("carriers want a registration for the US and Canada alone", () => {
  for (const phone of ["+14155550100", "+16045550100", "+17875550100", "+15005550000"]) {
    assert.equal(isRegistrationCountry(phone), true, phone);
  }
  for (const phone of ["+447400123456", "+18765551234"]) {
    assert.equal(isRegistrationCountry(phone), false, phone);
  }
});
